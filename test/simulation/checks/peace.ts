// After the faults: everything heals, and then progress is required. Every task ends, or is with a person; the labels on
// the forge are what the store wants; the store shows what the facts lead to.

import type { RunningBroker } from '../../../src/broker/create-broker.ts';
import type { MirroredIssue, Store } from '../../../src/core/store.ts';
import type { Task } from '../../../src/core/task.ts';
import type { Operator } from '../actors/operator.ts';
import type { People } from '../actors/people.ts';
import { REPOSITORY } from '../world/remote.ts';
import type { World } from '../world/world.ts';
import { offerProblem } from './offer.ts';

const FINISHERS = 24;
const IDLE_MS = 10_000;
const MOST_IDLE_ROUNDS = 100;
const CALM_MS = 30_000;
const EVERYTHING = 1_000_000;
const OPEN = ['held', 'delayed', 'ready', 'leased'];

export interface PeaceParts {
  readonly world: World;
  readonly people: People;
  readonly operator: Operator;
}

/** Lets time pass until it is answered. */
async function inTime<T>(world: World, call: Promise<T>): Promise<T> {
  let over = false;
  const end = () => {
    over = true;
  };
  void call.catch(() => undefined).finally(end);
  for (let waits = 0; !over && waits < 1000; waits += 1) {
    await world.time.rest();
    if (!over) await world.time.advance(100);
  }
  if (!over) throw new Error('A call was never answered, though nothing fails any more.');
  return call;
}

async function heal({ world, people, operator }: PeaceParts): Promise<void> {
  for (const { storeLink, forgeLink } of world.instances) {
    for (const link of [storeLink, forgeLink]) {
      link.troubles.clear();
      link.cut = false;
    }
  }
  world.remote.hintFaults.length = 0;
  world.remote.lagMs = 0;
  await world.time.advance(CALM_MS);
  for (let waits = 0; world.instances.some((one) => one.broker() === null); waits += 1) {
    if (waits > 30) throw new Error('An instance did not come up again.');
    await world.time.advance(IDLE_MS);
  }
  await inTime(world, operator.resumeAll());
  people.repair();
}

async function finishOne(world: World, broker: RunningBroker, agentId: string): Promise<boolean> {
  const given = await broker.requestTask({
    agentId,
    capabilities: ['*', 'review'],
    waitSeconds: 0,
    leaseSeconds: null,
    requestId: null,
    kinds: null,
    repositories: null,
    onUnfinished: 'release',
  });
  if (given === null) return false;
  await world.backing.pull();
  world.leases.handed(given.task.id, given.lease.fence);
  await broker.answered(given);
  const problem = await offerProblem(storeOf(world), given, world.time.now());
  if (problem !== null) world.find('offer', problem);
  const told = world.answers.heard(agentId, given);
  const sent = world.answers.send(told, 'complete');
  const verdict = given.task.kind === 'review' ? 'approve' : null;
  const held = { taskId: given.task.id, token: given.lease.token };
  await broker.complete({ ...held, summary: 'in peace', prNumber: null, verdict, comments: [] });
  await world.backing.pull();
  world.answers.accepted(sent);
  world.answers.over(told);
  return true;
}

/** Waits for a person, and says so. */
function isWithPeople(task: Task, labels: ReadonlySet<string>): boolean {
  const waits = ['approved', 'needs_review', 'excluded_label:needs-human'];
  if (task.state !== 'held' || !waits.includes(task.reason ?? '')) return false;
  return labels.has('approved') || labels.has('needs-human');
}

function storeOf(world: World): Store {
  const store = world.backing.raw();
  if (store === null) throw new Error('The store is down, though nothing fails any more.');
  return store;
}

/** An operator has ended the work on the issue: that is the outcome. */
const isCalledOff = ({ tasks }: MirroredIssue): boolean => tasks.at(-1)?.state === 'cancelled';

/** Tasks that are neither at an end nor with people. */
function unfinished(world: World, entry: MirroredIssue): Task[] {
  const labels = new Set(world.remote.issues.get(entry.issue.number)?.labels.keys());
  const calledOff = isCalledOff(entry);
  return entry.tasks.filter((task) => {
    if (!OPEN.includes(task.state) || isWithPeople(task, labels)) return false;
    // Asked for by label, the review comes first: where its chain was called off, so is the work behind it.
    return !(calledOff && task.state === 'held' && task.reason === 'needs_review');
  });
}

function leftOver(world: World, issues: readonly MirroredIssue[]): string[] {
  return issues
    .flatMap((entry) => unfinished(world, entry))
    .map(({ id, state, reason }) => `${id} is ${state}${reason === null ? '' : ` (${reason})`}`);
}

/** Labels that are not as they should be. */
function wrongLabels(world: World, issues: readonly MirroredIssue[]): string[] {
  const stored = new Map(issues.map((entry) => [entry.issue.number, entry]));
  return [...world.remote.issues.values()].flatMap((remote) => {
    if (remote.picture().state !== 'open') return [];
    const entry = stored.get(remote.number);
    if (entry === undefined) return `#${remote.number} is open and not in the store`;
    const wanted = new Set(entry.issue.wanted.map((label) => label.toLowerCase()));
    const missing = [...wanted].filter((label) => !remote.labels.has(label));
    // What people put there by hand is theirs; what the store has lost, it cannot know to be its own.
    const left = [...remote.labels].flatMap(([label, by]) =>
      by === 'banto' && !wanted.has(label) ? label : [],
    );
    const ended = entry.tasks.some(({ state }) => state === 'done' || state === 'dead');
    const untold = ended && !remote.labels.has('approved') && !remote.labels.has('needs-human');
    const tasks = entry.tasks.map(({ id, state, reason }) => `${id} ${state} ${reason ?? ''}`);
    const about = `(wanted: ${[...wanted].join(', ')}; ${tasks.join('; ')})`;
    return [
      ...missing.map((label) => `#${remote.number} lacks ${label} ${about}`),
      ...left.map((label) => `#${remote.number} still shows ${label} ${about}`),
      ...(untold && !isCalledOff(entry) ? [`#${remote.number} shows no outcome ${about}`] : []),
    ];
  });
}

async function finishAll(parts: PeaceParts): Promise<void> {
  const { world, people, operator } = parts;
  let left: string[] = [];
  for (let idle = 0; idle < MOST_IDLE_ROUNDS; ) {
    let served = 0;
    for (let index = 0; index < FINISHERS; index += 1) {
      const broker = world.instances[index % world.instances.length]?.broker() ?? null;
      if (broker === null) continue;
      const agentId = `finisher-${index}`;
      try {
        if (await inTime(world, finishOne(world, broker, agentId))) served += 1;
      } catch (error) {
        const busy = (error as { code?: unknown }).code === 'busy';
        if (!busy) throw error;
      }
    }
    if (world.findings.length > 0) return;
    if (served > 0) continue;
    await inTime(world, operator.letGo());
    await world.time.advance(IDLE_MS);
    idle += 1;
    const issues = await storeOf(world).openIssues(REPOSITORY, 0, EVERYTHING);
    const busy = issues.filter((entry) => unfinished(world, entry).length > 0);
    const numbers = new Set(busy.map(({ issue }) => issue.number));
    people.closeFinished((number) => numbers.has(number));
    left = leftOver(world, busy);
    if (left.length > 0) continue;
    left = wrongLabels(world, issues).map((what) => `labels: ${what}`);
    const { outbox } = await storeOf(world).queue(0);
    if (left.length === 0 && outbox.pending === 0) return;
  }
  const [first = 'the outbox is not empty'] = left;
  const rule = first.startsWith('labels: ') ? 'I6' : 'I5';
  world.find(
    rule,
    `after healing ${first}${left.length > 1 ? `, and ${left.length - 1} more` : ''}`,
  );
}

export async function makePeace(parts: PeaceParts): Promise<void> {
  const { world } = parts;
  world.tell(() => 'Everything heals.');
  await heal(parts);
  await finishAll(parts);
  if (world.findings.length > 0) return;
  await world.backing.pull();
  const { tasks } = await storeOf(world).tasks({ limit: EVERYTHING });
  world.invariants.compare(new Map(tasks.map((task) => [task.id, task.state])));
}
