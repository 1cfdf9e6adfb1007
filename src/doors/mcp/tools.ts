// The seven tools that a model gets. Each is one call of the HTTP API; state travels as handles in the arguments
// (task_id, lease_token), so that any instance can answer and a broken stream loses nothing. Texts are for a model.

import { type Static, Type } from 'typebox';
import type { Client } from '../../client/client.ts';
import { CompleteBody } from '../schema/complete.ts';
import { FailBody } from '../schema/fail.ts';
import { LeaseToken, Nullable, TaskId, Text } from '../schema/fields.ts';
import { ReleaseBody } from '../schema/release.ts';
import { RequestTaskBody } from '../schema/request-task.ts';
import { describeTask, untrustedTask } from './task-text.ts';

/** Clients give up after 60 s and more: an answer comes well before. */
const LONGEST_WAIT_SECONDS = 45;
const DEFAULT_WAIT_SECONDS = 30;
const EMPTY_RETRY_SECONDS = 5;
const QUESTION_RETRY_SECONDS = 30;

/** What the tools need of the API; the client has it over HTTP and, inside the server, without a socket. */
export type Api = Pick<
  Client,
  'requestTask' | 'task' | 'heartbeat' | 'complete' | 'fail' | 'release' | 'ask'
>;

export interface ToolResult {
  /** For programs: matches the tool's output schema. */
  readonly structured: Record<string, unknown>;
  /** For the model: what happened and what to do next. */
  readonly text: string;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: object;
  readonly output: object;
  /** It only reads; it may be called again without harm. */
  readonly readOnly: boolean;
  run(api: Api, input: never, signal: AbortSignal): Promise<ToolResult>;
}

function tool<Input>(definition: {
  name: string;
  title: string;
  description: string;
  input: object;
  output: object;
  readOnly?: boolean;
  run(api: Api, input: Input, signal: AbortSignal): Promise<ToolResult>;
}): Tool {
  return { readOnly: false, ...definition };
}

const NextStep = Type.String({ description: 'what to do now' });
const Expiry = Type.String({ description: 'the lease ends then unless it is renewed' });
const Answers = Type.Array(
  Type.Object({ question_id: Type.String(), question: Type.String(), answer: Type.String() }),
  { description: 'what people answered to questions about this task' },
);
const held = { task_id: TaskId, lease_token: LeaseToken };
interface Held {
  readonly task_id: string;
  readonly lease_token: string;
}

/** The body of an API call with the handle that stands in its path. */
function withTask<T extends { properties: object; required?: readonly string[] }>(body: T): object {
  return {
    type: 'object',
    properties: { task_id: TaskId, ...body.properties },
    required: ['task_id', ...(body.required ?? [])],
    additionalProperties: false,
  };
}

type Answer = Static<typeof Answers>[number];

/** What a heartbeat brings beside the new deadline. */
interface Beat {
  readonly expires_at: string;
  readonly stop?: { readonly reason: string } | null;
  readonly answers?: readonly Answer[];
}

/** What people answered to whoever worked on the task. */
function answersIn({ questions }: Awaited<ReturnType<Api['task']>>): Answer[] {
  return questions.flatMap(({ question_id, question, answer }) =>
    answer === null ? [] : [{ question_id, question, answer }],
  );
}

function answerLines(answers: readonly Answer[]): string[] {
  return answers.map(({ question, answer }) => `Asked: ${question}\nThe answer: ${answer}`);
}

const { wait_seconds: _wait, on_unfinished: _unfinished, ...asking } = RequestTaskBody.properties;

const requestTask = tool<{ wait_seconds?: number } & Parameters<Api['requestTask']>[0]>({
  name: 'request_task',
  title: 'Ask for a task',
  description: `Ask Banto for the next task for you. Call it when you have nothing to do. It waits up to ${LONGEST_WAIT_SECONDS} s; status "empty" means that nothing suits you now: call it again after retry_after_seconds. The same task comes back if you ask while you still hold one. The answer has a prompt: do what it says, on the branch it names, and keep task_id and lease_token: every later call needs both.`,
  input: Type.Object(
    {
      ...asking,
      wait_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: LONGEST_WAIT_SECONDS,
          description: `how long to wait for a task, 0–${LONGEST_WAIT_SECONDS} s, default ${DEFAULT_WAIT_SECONDS}`,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    status: Type.Unsafe<string>({ type: 'string', enum: ['task', 'empty'] }),
    retry_after_seconds: Type.Optional(Type.Integer()),
    task_id: Type.Optional(TaskId),
    lease_token: Type.Optional(LeaseToken),
    expires_at: Type.Optional(Expiry),
    lease_seconds: Type.Optional(Type.Integer()),
    task: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'the task; text by strangers' }),
    ),
    next_step: NextStep,
  }),
  async run(api, { wait_seconds = DEFAULT_WAIT_SECONDS, ...input }, signal) {
    const ask = { ...input, wait_seconds, on_unfinished: 'resume' as const };
    const task = await api.requestTask(ask, { signal });
    if (task === null) {
      const next = `Nothing suits you now. Call request_task again in ${EMPTY_RETRY_SECONDS} seconds, or stop if you were not asked to go on waiting.`;
      const structured = {
        status: 'empty',
        retry_after_seconds: EMPTY_RETRY_SECONDS,
        next_step: next,
      };
      return { structured, text: next };
    }
    const { lease, prompt } = task;
    const next = `Work on it. Call report_progress at least every ${Math.floor(lease.seconds / 3)} seconds, then complete_task, fail_task or release_task.`;
    return {
      structured: {
        status: 'task',
        task_id: task.task_id,
        lease_token: lease.token,
        expires_at: lease.expires_at,
        lease_seconds: lease.seconds,
        task: untrustedTask(task),
        next_step: next,
      },
      text: `You have the task ${task.task_id}. lease_token: ${lease.token}\nYour lease ends at ${lease.expires_at}. ${next}\n\n${prompt}`,
    };
  },
});

const getTask = tool<{ task_id: string; lease_token?: string }>({
  name: 'get_task',
  title: 'Look at a task',
  description:
    'Look at a task: its state, its text, earlier attempts, and what people answered to your questions. Give lease_token when you hold it: that renews your lease.',
  input: Type.Object(
    { task_id: TaskId, lease_token: Type.Optional(LeaseToken) },
    { additionalProperties: false },
  ),
  output: Type.Object({
    state: Type.String(),
    expires_at: Nullable(Expiry),
    answers: Answers,
    task: Type.Object({}, { additionalProperties: true }),
    next_step: NextStep,
  }),
  readOnly: true,
  async run(api, { task_id, lease_token }, signal) {
    const beat =
      lease_token === undefined ? null : await api.heartbeat(task_id, { lease_token }, { signal });
    const task = await api.task(task_id, { signal });
    const expires = beat?.expires_at ?? null;
    const next =
      expires === null
        ? 'This was only a look: you do not hold this task.'
        : `You hold it until ${expires}. Go on working.`;
    const answers = answersIn(task);
    const structured = {
      state: task.state,
      expires_at: expires,
      answers,
      task: describeTask(task),
      next_step: next,
    };
    const shown = JSON.stringify(describeTask(task), null, 2);
    return { structured, text: [next, ...answerLines(answers), shown].join('\n\n') };
  },
});

const reportProgress = tool<Held & { note?: string }>({
  name: 'report_progress',
  title: 'Report progress',
  description:
    'Say in one sentence what you did, and keep your lease. Call it at least three times within lease_seconds while you work. It brings answers to your questions. If it says stop, end the work at once.',
  input: Type.Object(
    { ...held, note: Type.Optional(Text(2_000, 'one sentence on what you did')) },
    { additionalProperties: false },
  ),
  output: Type.Object({
    expires_at: Expiry,
    stop: Nullable(Type.Object({}, { additionalProperties: true })),
    answers: Answers,
    next_step: NextStep,
  }),
  async run(api, { task_id, lease_token, note }, signal) {
    const body = { lease_token, ...(note === undefined ? {} : { progress: note }) };
    const beat = await api.heartbeat(task_id, body, { signal });
    const { expires_at, stop = null, answers = [] } = beat as Beat;
    const next =
      stop === null
        ? `Your lease lasts until ${expires_at}. Go on working.`
        : `Stop working on this task now (${stop.reason}). Call release_task with what you did so far.`;
    const structured = { expires_at, stop, answers, next_step: next };
    return { structured, text: [next, ...answerLines(answers)].join('\n\n') };
  },
});

const ENDED = Type.Object({ state: Type.String(), next_step: NextStep });
const ASK_AGAIN = 'You do not hold it any more. Call request_task for the next task.';

const completeTask = tool<Held & Parameters<Api['complete']>[1]>({
  name: 'complete_task',
  title: 'Finish a task',
  description:
    'The work is done and committed on the branch: say so, with a summary. For a review give verdict "approve" or "request_changes"; the latter needs comments that say what to change. Only call it when the work is really done; otherwise use fail_task or release_task.',
  input: withTask(CompleteBody),
  output: ENDED,
  async run(api, { task_id, ...body }, signal) {
    const task = await api.complete(task_id, body, { signal });
    const next = `The task is ${task.state}. ${ASK_AGAIN}`;
    return { structured: { state: task.state, next_step: next }, text: next };
  },
});

/** Models do not know git's names of trees; workers tell them. */
const { tree: _tree, ...failing } = FailBody.properties;

const failTask = tool<Held & Parameters<Api['fail']>[1]>({
  name: 'fail_task',
  title: 'Give up on a task',
  description:
    'You tried and could not do it: say why, so that the next agent knows. It is tried again later, by you or another agent. Set retryable to false when trying again is useless: then a person looks at it.',
  input: withTask({ properties: failing, required: FailBody.required ?? [] }),
  output: ENDED,
  async run(api, { task_id, ...body }, signal) {
    const task = await api.fail(task_id, body, { signal });
    const next = `The task is ${task.state}. ${ASK_AGAIN}`;
    return { structured: { state: task.state, next_step: next }, text: next };
  },
});

const releaseTask = tool<Held & Parameters<Api['release']>[1]>({
  name: 'release_task',
  title: 'Give a task back',
  description:
    'You do not want to go on, and it is nobody’s fault: the task goes back to the queue and no attempt is counted.',
  input: withTask(ReleaseBody),
  output: ENDED,
  async run(api, { task_id, ...body }, signal) {
    const task = await api.release(task_id, body, { signal });
    const next = `The task is ${task.state}. ${ASK_AGAIN}`;
    return { structured: { state: task.state, next_step: next }, text: next };
  },
});

const askHuman = tool<Held & { question: string }>({
  name: 'ask_human',
  title: 'Ask a person',
  description:
    'Ask the people of this repository one question that only they can decide. It is put on the issue, and your lease is paused until they answer. Call report_progress from time to time: it brings the answer.',
  input: Type.Object(
    { ...held, question: Text(4_000, 'the question, with all that is needed to answer it') },
    { additionalProperties: false },
  ),
  output: Type.Object({
    question_id: Type.String(),
    status: Type.String(),
    retry_after_seconds: Type.Integer(),
    next_step: NextStep,
  }),
  async run(api, { task_id, ...body }, signal) {
    const { question_id } = await api.ask(task_id, body, { signal });
    const next = `The question was asked. Your lease is paused. Call report_progress every ${QUESTION_RETRY_SECONDS} seconds until the answer comes, and do what can be done without it meanwhile.`;
    const structured = {
      question_id,
      status: 'waiting',
      retry_after_seconds: QUESTION_RETRY_SECONDS,
      next_step: next,
    };
    return { structured, text: next };
  },
});

export const TOOLS: readonly Tool[] = [
  requestTask,
  getTask,
  reportProgress,
  completeTask,
  failTask,
  releaseTask,
  askHuman,
];
