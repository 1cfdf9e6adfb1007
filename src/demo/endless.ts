// `banto demo --endless`: a fleet that is always busy, for showing the page round. Issues come in, agents take
// their time, cost something and keep a log, some fail or ask a question, one dies now and then and comes back, and
// a person closes what was approved.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import { parseTaskId } from '../core/task.ts';
import type { AssignmentAnswer } from '../doors/schema/request-task.ts';
import type { DemoIssue } from './backlog.ts';
import type { Stage } from './stage.ts';

interface Endless {
  readonly client: Client;
  readonly stage: Stage;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

const FLEET: readonly { readonly id: string; readonly capabilities: readonly string[] }[] = [
  { id: 'taro', capabilities: ['frontend', 'css', 'forms'] },
  { id: 'hana', capabilities: ['python', 'docs'] },
  { id: 'kenji', capabilities: ['python', 'bug', 'review'] },
  { id: 'yuki', capabilities: ['frontend', 'docs', 'review'] },
  { id: 'aoi', capabilities: ['api', 'payments', 'review'] },
  { id: 'ren', capabilities: ['search', 'api', 'review'] },
];

const WORK: readonly (readonly [title: string, ...labels: string[]])[] = [
  ['Keep the cart when the session expires', 'frontend', 'bug'],
  ['Retry a declined card once', 'payments', 'priority:high'],
  ['Search by product code', 'search'],
  ['Describe the webhooks', 'docs', 'api'],
  ['Remember the delivery note', 'forms'],
  ['Faster import of price lists', 'python'],
  ['Smaller pictures on phones', 'css', 'frontend'],
  ['Stock level over the API', 'api'],
  ['Old prices in the feed', 'python', 'bug', 'priority:high'],
  ['Glossary of the shop', 'docs', 'priority:low'],
  ['Refund part of an order', 'payments', 'api'],
  ['Hide sold-out sizes', 'frontend', 'css'],
];
const NOTES = ['reading the code', 'writing a test', 'one test left', 'all tests pass'];

/** Issues that wait for an agent. Reviews come first, and are no reason to open fewer. */
const READY_WANTED = 8;
const ISSUE_EVERY_MS = 4000;
const MERGE_AFTER_MS = 30_000;
const STEP_MS = [1000, 5000] as const;
const AWAY_MS = 60_000;
const FAILS = 0.1;
const DIES = 0.008;
const ASKS = 0.012;
const QUESTION = 'Prices with or without tax? The old page shows both.';
/** How long a question stands on the page before somebody answers it after all. */
const UNANSWERED_MS = 90_000;
const LOOK_MS = 2000;
const MODELS = ['large', 'large', 'small', 'small', 'medium', 'medium'] as const;
const DOLLARS_PER_SECOND = { large: 0.02, medium: 0.01, small: 0.004 } as const;
const WANTS_CHANGES = 0.25;

const between = ([from, to]: readonly [number, number]) => from + Math.random() * (to - from);

function issueOf(index: number): DemoIssue {
  const [title = '', ...labels] = WORK[index % WORK.length] ?? [];
  const slug = title.toLowerCase().replaceAll(/[^a-z]+/g, '-');
  return { slug, labels, title, body: `${title}.\n\n## Deliverables\n\n- it works\n- a test\n` };
}

async function openIssues({ client, stage, signal }: Endless): Promise<void> {
  for (let index = 0; !signal.aborted; ) {
    const { counts } = await client.queue({ signal });
    const ready = counts
      .filter(({ state, kind }) => state === 'ready' && kind === 'implement')
      .reduce((sum, { count }) => sum + count, 0);
    if (ready < READY_WANTED) {
      await stage.open(issueOf(index));
      index += 1;
    }
    const isEmpty = ready < READY_WANTED / 2;
    await sleep(isEmpty ? ISSUE_EVERY_MS / 8 : ISSUE_EVERY_MS, undefined, { signal });
  }
}

/** A person looks at what was approved, some time later. */
async function mergeApproved({ client, stage, signal }: Endless): Promise<void> {
  for await (const item of client.events({ signal })) {
    if (item.kind !== 'event' || item.event['verdict'] !== 'approve') continue;
    const number = parseTaskId(item.event.task_id ?? '')?.number;
    if (number === undefined) continue;
    setTimeout(() => {
      if (!signal.aborted) stage.close(number).catch(() => undefined);
    }, MERGE_AFTER_MS).unref();
  }
}

async function finish({ client, stage }: Endless, task: AssignmentAnswer, agentId: string) {
  const lease_token = task.lease.token;
  if (Math.random() < FAILS) {
    await client.fail(task.task_id, { lease_token, reason: 'the test database is locked' });
  } else if (task.kind === 'review') {
    const changes = task.task_id.endsWith('.1') && Math.random() < WANTS_CHANGES;
    await client.complete(task.task_id, {
      lease_token,
      ...(changes
        ? { verdict: 'request_changes', comments: ['Please add a test for an empty cart.'] }
        : { verdict: 'approve', summary: 'Looks good.' }),
    });
  } else {
    const pr_number = await stage.openPull(agentId, task.issue_id, task.branch_name);
    const summary = `Done on ${task.branch_name}.`;
    await client.complete(task.task_id, {
      lease_token,
      summary,
      ...(pr_number === null ? {} : { pr_number }),
    });
  }
}

function usageOf(agentId: string, startedAt: number) {
  const seconds = (Date.now() - startedAt) / 1000;
  const model = MODELS[FLEET.findIndex(({ id }) => id === agentId)] ?? 'small';
  return {
    model,
    cost_usd: Math.round(seconds * DOLLARS_PER_SECOND[model] * 100) / 100,
    input_tokens: Math.round(seconds * 6000),
    output_tokens: Math.round(seconds * 200),
    turns: Math.ceil(seconds / 3),
  };
}

/** Whoever looks at the page may answer; after a while somebody else does. */
async function askPeople(
  { client, signal, say }: Endless,
  task: AssignmentAnswer,
  agentId: string,
) {
  const lease_token = task.lease.token;
  const { question_id } = await client.ask(task.task_id, { lease_token, question: QUESTION });
  say(`${agentId} asks: ${QUESTION}`);
  for (const until = Date.now() + UNANSWERED_MS; Date.now() < until; ) {
    await sleep(LOOK_MS, undefined, { signal });
    const { questions } = await client.task(task.task_id);
    if (questions.every(({ open }) => !open)) return;
  }
  await client.answer(task.task_id, { question_id, answer: 'With tax, as on the invoice.' });
}

async function workOn(endless: Endless, task: AssignmentAnswer, agentId: string): Promise<void> {
  const { client, signal, say } = endless;
  const lease_token = task.lease.token;
  const startedAt = Date.now();
  let offset = 0;
  for (const progress of NOTES) {
    await sleep(between(STEP_MS), undefined, { signal });
    const usage = usageOf(agentId, startedAt);
    await client.heartbeat(task.task_id, { lease_token, progress, usage });
    const text = `$ ${progress}\n`;
    ({ size: offset } = await client.appendLog(task.task_id, { lease_token, offset, text }));
    if (Math.random() < ASKS) await askPeople(endless, task, agentId);
    if (Math.random() >= DIES) continue;
    say(`${agentId} dies without a word (its process is gone)`);
    await sleep(AWAY_MS, undefined, { signal });
    return;
  }
  await finish(endless, task, agentId);
}

async function work(endless: Endless, agentId: string, capabilities: readonly string[]) {
  const { client, signal } = endless;
  while (!signal.aborted) {
    try {
      const body = { agent_id: agentId, capabilities: [...capabilities], wait_seconds: 30 };
      const task = await client.requestTask(body, { signal });
      if (task !== null) await workOn(endless, task, agentId);
    } catch {
      // The lease was lost, or taken away on the page: an agent asks again.
      if (!signal.aborted) await sleep(1000);
    }
  }
}

/** Until the signal ends it. */
export async function keepBusy(endless: Endless): Promise<void> {
  const all = [
    openIssues(endless),
    mergeApproved(endless),
    ...FLEET.map(({ id, capabilities }) => work(endless, id, capabilities)),
  ];
  const ended = await Promise.allSettled(all);
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined && !endless.signal.aborted) throw failed.reason;
}
