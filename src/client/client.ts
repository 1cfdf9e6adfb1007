// The typed client of the HTTP API: one method per verb, the same words. Shapes are the doors' own.

import { randomUUID } from 'node:crypto';
import { WAIT_SECONDS_MAX } from '../core/attempt/lease.ts';
import type { AgentAnswer, AgentsAnswer } from '../doors/schema/agents.ts';
import type { AnswerBody, AskAnswer, AskBody } from '../doors/schema/ask.ts';
import type { CompleteBody } from '../doors/schema/complete.ts';
import type { FailBody } from '../doors/schema/fail.ts';
import { COMPLETED_HEADER } from '../doors/schema/headers.ts';
import type { HeartbeatAnswer, HeartbeatBody } from '../doors/schema/heartbeat.ts';
import type {
  AddIssueBody,
  EditIssueBody,
  IssueAnswer,
  IssuesAnswer,
} from '../doors/schema/issues.ts';
import type { AppendLogAnswer, AppendLogBody, LogAnswer, LogQuery } from '../doors/schema/log.ts';
import type {
  BudgetBody,
  CancelBody,
  PriorityBody,
  RequeueBody,
  RetryLedgerAnswer,
} from '../doors/schema/operate.ts';
import type { HealthAnswer, ReadyAnswer } from '../doors/schema/ops.ts';
import type { QueueAnswer, StatsAnswer } from '../doors/schema/queue.ts';
import type { ReleaseBody } from '../doors/schema/release.ts';
import type { AssignmentAnswer, RequestTaskBody } from '../doors/schema/request-task.ts';
import type { ConfigAnswer, FlagsAnswer } from '../doors/schema/settings.ts';
import type { TaskAnswer, TaskDetailAnswer, TaskQuery } from '../doors/schema/task.ts';
import type { TasksAnswer, TasksQuery } from '../doors/schema/tasks.ts';
import type {
  CreateTokenBody,
  TokenAnswer,
  TokensAnswer,
  TokenView,
} from '../doors/schema/tokens.ts';
import type { WhyAnswer } from '../doors/schema/why.ts';
import { checkSpeaker, readAnswer } from './answer.ts';
import { type EventsOptions, readEvents, type StreamItem } from './events.ts';
import { DEFAULT_RETRY, type Patience, type RetryOptions, withRetry } from './retry.ts';
import { type Answer, type Call, createTransport, type Transport } from './transport.ts';

export interface ClientOptions {
  readonly url: string;
  readonly token?: string | null;
  readonly retry?: RetryOptions;
  /** Another way to the API than HTTP: the server's own tools call it without a socket. */
  readonly transport?: Transport;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface RequestOptions extends CallOptions {
  /** Told which task asking completed, also where no task came. */
  readonly completed?: (taskId: string) => void;
}

/** How long an ordinary call may stay without an answer. */
const SILENCE_MS = 30_000;

export type Client = ReturnType<typeof createClient>;

function historyQuery({ history_cursor }: TaskQuery = {}): TaskQuery {
  return history_cursor === undefined ? {} : { history_cursor };
}

export function createClient(options: ClientOptions) {
  const { url, token = null, retry = DEFAULT_RETRY } = options;
  const transport = options.transport ?? createTransport({ url, token });
  const { address } = transport;

  type Request = Omit<Call, 'silenceMs' | 'signal'> & { readonly silenceMs?: number };

  /** A function: a repeated call may ask for less than the first did. */
  function exchange(
    request: () => Request,
    patience: Patience,
    { signal }: CallOptions = {},
  ): Promise<Answer> {
    const attempt = async () => {
      const answer = await transport.send({ silenceMs: SILENCE_MS, ...request(), signal });
      checkSpeaker(answer, address);
      // Judged inside the attempt, so that `busy` can be waited for.
      if (answer.status === 503 && patience === 'work') readAnswer(answer, address);
      return answer;
    };
    return withRetry(attempt, patience, retry, signal);
  }

  async function call<T>(request: Request, patience: Patience, options?: CallOptions): Promise<T> {
    return readAnswer(await exchange(() => request, patience, options), address) as T;
  }

  function get<T>(path: string, query: Call['query'] = {}, options?: CallOptions): Promise<T> {
    return call<T>({ method: 'GET', path, query }, 'lost', options);
  }
  function post<T>(path: string, body: object, patience: Patience, options?: CallOptions) {
    return call<T>({ method: 'POST', path, body }, patience, options);
  }
  function put<T>(path: string, value: unknown): Promise<T> {
    return call<T>({ method: 'PUT', path, body: { value } }, 'lost');
  }
  const ofTask = (id: string, verb = '') => `/api/v1/tasks/${encodeURIComponent(id)}${verb}`;

  /**
   * Null: nothing suitable. Every request carries an id, so that an answer lost on the way is given
   * again and no task is handed out for nothing. A task that the agent still holds is answered again unless the
   * caller says otherwise: asking twice by accident must not report work as done.
   */
  async function requestTask(
    body: RequestTaskBody,
    options?: RequestOptions,
  ): Promise<AssignmentAnswer | null> {
    const requestId = body.request_id ?? randomUUID();
    const waitSeconds = body.wait_seconds ?? 0;
    const startedAt = performance.now();
    const request = (): Request => {
      const waited = Math.floor((performance.now() - startedAt) / 1000);
      const left = waitSeconds > WAIT_SECONDS_MAX ? waitSeconds : Math.max(0, waitSeconds - waited);
      return {
        method: 'POST',
        path: '/api/v1/request-task',
        body: { on_unfinished: 'resume', ...body, request_id: requestId, wait_seconds: left },
        silenceMs: left * 1000 + SILENCE_MS,
      };
    };
    const answer = await exchange(request, 'lost', options);
    const completed = answer.headers[COMPLETED_HEADER];
    if (typeof completed === 'string') options?.completed?.(completed);
    return answer.status === 204 ? null : (readAnswer(answer, address) as AssignmentAnswer);
  }

  return {
    address,
    requestTask,
    heartbeat: (taskId: string, body: HeartbeatBody, options?: CallOptions) =>
      post<HeartbeatAnswer>(ofTask(taskId, '/heartbeat'), body, 'work', options),
    complete: (taskId: string, body: CompleteBody, options?: CallOptions) =>
      post<TaskAnswer>(ofTask(taskId, '/complete'), body, 'work', options),
    fail: (taskId: string, body: FailBody, options?: CallOptions) =>
      post<TaskAnswer>(ofTask(taskId, '/fail'), body, 'work', options),
    release: (taskId: string, body: ReleaseBody, options?: CallOptions) =>
      post<TaskAnswer>(ofTask(taskId, '/release'), body, 'work', options),
    ask: (taskId: string, body: AskBody, options?: CallOptions) =>
      post<AskAnswer>(ofTask(taskId, '/ask'), body, 'lost', options),
    answer: (taskId: string, body: AnswerBody) =>
      post<TaskAnswer>(ofTask(taskId, '/answer'), body, 'lost'),
    appendLog: (taskId: string, body: AppendLogBody, options?: CallOptions) =>
      post<AppendLogAnswer>(ofTask(taskId, '/log'), body, 'none', options),
    log: (taskId: string, query: LogQuery = {}, options?: CallOptions) =>
      call<LogAnswer>(
        {
          method: 'GET',
          path: ofTask(taskId, '/log'),
          query,
          silenceMs: (query.follow ?? 0) * 1000 + SILENCE_MS,
        },
        'lost',
        options,
      ),

    tasks: (query: TasksQuery = {}, options?: CallOptions) =>
      get<TasksAnswer>('/api/v1/tasks', query, options),
    task: (taskId: string, options?: CallOptions & TaskQuery) =>
      get<TaskDetailAnswer>(ofTask(taskId), historyQuery(options), options),
    why: (taskId: string, agent?: string) =>
      get<WhyAnswer>(ofTask(taskId, '/why'), agent === undefined ? {} : { agent }),
    requeue: (taskId: string, body: RequeueBody = {}) =>
      post<TaskAnswer>(ofTask(taskId, '/requeue'), body, 'lost'),
    priority: (taskId: string, body: PriorityBody) =>
      post<TaskAnswer>(ofTask(taskId, '/priority'), body, 'lost'),
    budget: (taskId: string, body: BudgetBody) =>
      post<TaskAnswer>(ofTask(taskId, '/budget'), body, 'lost'),
    retryLedger: () => post<RetryLedgerAnswer>('/api/v1/ledger/retry', {}, 'lost'),
    // Repeated after a lost answer, these two would report a conflict with themselves.
    unlock: (taskId: string) => post<TaskAnswer>(ofTask(taskId, '/unlock'), {}, 'none'),
    cancel: (taskId: string, body: CancelBody = {}) =>
      post<TaskAnswer>(ofTask(taskId, '/cancel'), body, 'none'),

    issues: () => get<IssuesAnswer>('/api/v1/issues'),
    issue: (number: number) => get<IssueAnswer>(`/api/v1/issues/${number}`),
    // Repeated after a lost answer, it would be there twice.
    addIssue: (body: AddIssueBody) => post<IssueAnswer>('/api/v1/issues', body, 'none'),
    editIssue: (number: number, body: EditIssueBody) =>
      call<IssueAnswer>({ method: 'PATCH', path: `/api/v1/issues/${number}`, body }, 'lost'),

    agents: (options?: CallOptions) => get<AgentsAnswer>('/api/v1/agents', {}, options),
    agent: (agentId: string) => get<AgentAnswer>(`/api/v1/agents/${encodeURIComponent(agentId)}`),
    queue: (options?: CallOptions) => get<QueueAnswer>('/api/v1/queue', {}, options),
    stats: (period: StatsAnswer['period'] = 'daily') =>
      get<StatsAnswer>('/api/v1/stats', { period }),
    config: () => get<ConfigAnswer>('/api/v1/config'),
    putConfig: (name: string, value: unknown) =>
      put<ConfigAnswer>(`/api/v1/config/${encodeURIComponent(name)}`, value),
    flags: (options?: CallOptions) => get<FlagsAnswer>('/api/v1/flags', {}, options),
    putFlag: (name: string, value: unknown) =>
      put<FlagsAnswer>(`/api/v1/flags/${encodeURIComponent(name)}`, value),
    createToken: (body: CreateTokenBody) => post<TokenAnswer>('/api/v1/tokens', body, 'none'),
    tokens: () => get<TokensAnswer>('/api/v1/tokens'),
    // Repeated after a lost answer, it would find nothing to revoke.
    revokeToken: (id: string) =>
      call<TokenView>(
        { method: 'DELETE', path: `/api/v1/tokens/${encodeURIComponent(id)}` },
        'none',
      ),

    events: (options: EventsOptions = {}): AsyncGenerator<StreamItem, void, undefined> =>
      readEvents(transport, options),
    health: (options?: CallOptions) => get<HealthAnswer>('/health', {}, options),
    /** Not being ready is an answer (503 with the parts), not an error. */
    async ready(options?: CallOptions): Promise<ReadyAnswer> {
      const answer = await exchange(() => ({ method: 'GET', path: '/ready' }), 'lost', options);
      const told = answer.status === 503 && answer.text.includes('"mirrored"');
      return readAnswer(told ? { ...answer, status: 200 } : answer, address) as ReadyAnswer;
    },
  };
}
