// The API over fetch. The token, where one is needed, stays with this tab.

import { signal } from '@preact/signals';
import type { Api } from './contract.ts';

const TOKEN_KEY = 'banto-token';
const PATIENCE_MS = 20_000;

/** Kept for the tab: another tab, or the same one tomorrow, asks again. */
export const token = signal(sessionStorage.getItem(TOKEN_KEY));

export function keepToken(secret: string | null): void {
  token.value = secret;
  if (secret === null) sessionStorage.removeItem(TOKEN_KEY);
  else sessionStorage.setItem(TOKEN_KEY, secret);
}

/** What the server said, or that it said nothing (status 0). */
export class CallError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, sentence: string) {
    super(sentence);
    this.status = status;
    this.code = code;
  }
}

function headers(more: Record<string, string> = {}): Record<string, string> {
  return token.value === null ? more : { ...more, authorization: `Bearer ${token.value}` };
}

async function refusal(answer: Response): Promise<CallError> {
  const body = (await answer.json().catch(() => ({}))) as {
    error?: string;
    code?: string;
    detail?: string;
  };
  const sentence = body.detail ?? body.error ?? `${answer.status} ${answer.statusText}`;
  return new CallError(answer.status, body.code ?? 'unknown', sentence);
}

async function send(path: string, init: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, { ...init, credentials: 'omit', cache: 'no-store' });
  } catch (error) {
    throw new CallError(0, 'unreachable', error instanceof Error ? error.message : String(error));
  }
  if (!answer.ok) throw await refusal(answer);
  return answer;
}

async function call<T>(
  method: string,
  path: string,
  body?: object,
  signal: AbortSignal = AbortSignal.timeout(PATIENCE_MS),
): Promise<T> {
  const answer = await send(`/api/v1${path}`, {
    method,
    signal,
    ...(body === undefined
      ? { headers: headers() }
      : {
          headers: headers({ 'content-type': 'application/json' }),
          body: JSON.stringify(body),
        }),
  });
  if (answer.status === 204) return undefined as T;
  return (await answer.json()) as T;
}

const get = <T>(path: string) => call<T>('GET', path);
const post = <T>(path: string, body: object = {}) => call<T>('POST', path, body);
const ofTask = (id: string, verb = '') => `/tasks/${encodeURIComponent(id)}${verb}`;

export const api: Api = {
  session: () => get('/session'),
  cards(which) {
    if (which === undefined) return get('/cards');
    return get(
      'ids' in which ? `/cards?task_ids=${which.ids.join(',')}` : `/cards?cursor=${which.cursor}`,
    );
  },
  agents: () => get('/agents'),
  queue: () => get('/queue'),
  flags: () => get('/flags'),
  config: () => get('/config'),
  putFlag: (name, value) => call('PUT', `/flags/${encodeURIComponent(name)}`, { value }),
  task: (id) => get(ofTask(id)),
  why: (id, agent) =>
    get(ofTask(id, agent === undefined ? '/why' : `/why?agent=${encodeURIComponent(agent)}`)),
  leases: (since) => get(`/leases?since=${since.toISOString()}`),
  flow: (since, stepSeconds) =>
    get(`/flow?since=${since.toISOString()}&step_seconds=${stepSeconds}`),
  requeue: (id, body) => post(ofTask(id, '/requeue'), body),
  priority: (id, body) => post(ofTask(id, '/priority'), body),
  unlock: (id) => post(ofTask(id, '/unlock')),
  cancel: (id, body) => post(ofTask(id, '/cancel'), body),
  answer: (id, question_id, answer) => post(ofTask(id, '/answer'), { question_id, answer }),
  budget: (id, cost_usd) => post(ofTask(id, '/budget'), { cost_usd }),
  retryLedger: () => post('/ledger/retry'),
  addIssue: (issue) => post('/issues', issue),
  editIssue: (number, change) => call('PATCH', `/issues/${number}`, change),
  log: (id, { offset, followSeconds }, signal) =>
    call('GET', ofTask(id, `/log?offset=${offset}&follow=${followSeconds}`), undefined, signal),
  async events(lastEventId, signal) {
    const answer = await send('/api/v1/events', {
      headers: headers({ accept: 'text/event-stream', 'last-event-id': String(lastEventId) }),
      signal,
    });
    if (answer.body === null) throw new CallError(0, 'unreachable', 'The stream has no body.');
    return answer.body;
  },
};
