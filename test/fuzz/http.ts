// Requests to every route that the server describes of itself: right ones, and right ones that were spoiled.

import type { Dice } from './dice.ts';
import { brokenJson, hostileText, hostileValue } from './hostile.ts';

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly body: readonly string[] | null;
  readonly query: readonly string[];
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: {
    readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
  };
}

export function routesOf(openapi: Described): Route[] {
  return Object.entries(openapi.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      query: parameters.filter((one) => one.in === 'query').map(({ name }) => name),
      body:
        requestBody === undefined
          ? null
          : Object.keys(requestBody.content?.['application/json']?.schema?.properties ?? {}),
    })),
  );
}

/** What the run has learned so far: inputs that name living things go deeper. */
export interface Learned {
  readonly taskIds: string[];
  readonly tokens: string[];
}

const MOST_LEARNED = 50;

export function learnFrom(learned: Learned, body: string): void {
  const taskId = /"task_id":"([^"]+)"/.exec(body)?.[1];
  const token = /"lease":\{"token":"([^"]+)"/.exec(body)?.[1];
  if (taskId !== undefined) learned.taskIds.push(taskId);
  if (token !== undefined) learned.tokens.push(token);
  if (learned.taskIds.length > MOST_LEARNED) learned.taskIds.shift();
  if (learned.tokens.length > MOST_LEARNED) learned.tokens.shift();
}

/** Values that are right somewhere, by the name of the field. */
function rightValue(name: string, dice: Dice, learned: Learned): unknown {
  const agent = `agent-${dice.int(5)}`;
  const values: Record<string, unknown> = {
    agent_id: agent,
    agent,
    capabilities: dice.pick([['python'], ['docs', 'review'], ['*'], []]),
    // A right wait would keep the run waiting.
    wait_seconds: dice.pick([0, 0, 0, -1, 301, 1.5]),
    lease_seconds: dice.pick([10, 600, 86_400]),
    request_id: `request-${dice.int(20)}`,
    kinds: dice.pick([['implement'], ['review', 'fix']]),
    repositories: ['octo/park'],
    on_unfinished: dice.pick(['complete', 'resume', 'release']),
    lease_token: learned.tokens.length === 0 ? 'none' : dice.pick(learned.tokens),
    progress: 'half done',
    summary: 'done',
    reason: 'it broke',
    retryable: dice.chance(0.5),
    delay_seconds: dice.int(60),
    verdict: dice.pick(['approve', 'request_changes']),
    comments: ['change this'],
    priority: dice.pick(['high', 'normal', 'low', 75]),
    value: dice.pick([true, false, 5, 'x', ['y']]),
    pr_number: dice.int(50),
    limit: dice.int(250),
    cursor: String(dice.int(50)),
    history_cursor: String(dice.int(500)),
    state: dice.pick(['ready', 'leased', 'done']),
    kind: 'implement',
    label: 'python',
    repository: 'octo/park',
    period: dice.pick(['daily', 'hourly']),
    last_event_id: dice.int(100),
    note: 'a note',
  };
  return Object.hasOwn(values, name) ? values[name] : 'x';
}

const NAMES = [
  'lease_seconds',
  'max_attempts',
  'excluded_labels',
  'maintenance',
  'debug',
  'agent-1',
];

function pathOf({ path }: Route, dice: Dice, size: number, learned: Learned): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (dice.chance(0.15)) return encodeURI(hostileText(dice, Math.min(size, 5000)).toWellFormed());
    if (dice.chance(0.05)) return hostileText(dice, 300);
    if (name !== 'task_id') return dice.pick(NAMES);
    const made = `octo~park~${41 + dice.int(60)}~${dice.pick(['implement', 'review', 'fix'])}.1`;
    return learned.taskIds.length === 0 || dice.chance(0.3) ? made : dice.pick(learned.taskIds);
  });
}

function queryOf(route: Route, dice: Dice, size: number, learned: Learned): string {
  const names = route.query.filter(() => dice.chance(0.4));
  if (dice.chance(0.05)) names.push(hostileText(dice, 20));
  const pairs = names.map((name) => {
    const value = dice.chance(0.3)
      ? hostileText(dice, Math.min(size, 3000))
      : String(rightValue(name, dice, learned));
    const spell = (text: string) => encodeURIComponent(text.toWellFormed());
    return dice.chance(0.05) ? `${name}=${value}` : `${spell(name)}=${spell(value)}`;
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function bodyOf(fields: readonly string[], dice: Dice, size: number, learned: Learned): Buffer {
  const whole = new Map<string, unknown>();
  for (const name of fields) {
    if (dice.chance(0.75)) whole.set(name, rightValue(name, dice, learned));
  }
  if (dice.chance(0.5) && fields.length > 0) whole.set(dice.pick(fields), hostileValue(dice, size));
  if (dice.chance(0.1)) whole.set(hostileText(dice, 50), hostileValue(dice, size));
  const value = dice.chance(0.05) ? hostileValue(dice, size) : Object.fromEntries(whole);
  const text = JSON.stringify(value);
  return dice.chance(0.1) ? brokenJson(dice, size, text) : Buffer.from(text);
}

const TYPES = [
  'text/plain',
  'application/xml',
  '',
  'application/json; charset=x',
  '*/*',
  'application/json\t',
];
const ODD_HEADERS = [
  'Authorization: Bearer nobody',
  'Authorization: Basic eDp5',
  'Origin: https://evil.example',
  'Last-Event-ID: x',
  'Accept-Encoding: x',
  'Expect: 100-continue',
  'Cookie: a=b',
  'X-HTTP-Method-Override: DELETE',
  `X-Long: ${'a'.repeat(9000)}`,
];
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE'];

export interface RawRequest {
  readonly bytes: Buffer;
  readonly method: string;
  /** Not HTTP at all: the server may close the connection. */
  readonly broken: boolean;
}

const printable = (text: string) =>
  Buffer.from(text, 'utf8')
    .toString('latin1')
    .replaceAll(/[\r\n]/g, '');

export function httpRequest(
  routes: readonly Route[],
  dice: Dice,
  size: number,
  learned: Learned,
): RawRequest {
  const route = dice.pick(routes);
  const method = dice.chance(0.95) ? route.method : dice.pick(METHODS);
  const body =
    route.body === null && dice.chance(0.95) ? null : bodyOf(route.body ?? [], dice, size, learned);
  const target = printable(
    pathOf(route, dice, size, learned) + queryOf(route, dice, size, learned),
  );
  const type = dice.chance(0.96) ? 'application/json' : dice.pick(TYPES);
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: 127.0.0.1'];
  if (dice.chance(0.05)) lines.push(dice.pick(ODD_HEADERS));
  if (body !== null) lines.push(`Content-Type: ${type}`, `Content-Length: ${body.length}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  // Spaces in the target and the like: whatever the server makes of it, the connection is not used again.
  const broken = /[^\x21-\x7e]/.test(target) || lines.some((line) => line.startsWith('Expect'));
  return { bytes: Buffer.concat([head, body ?? Buffer.alloc(0)]), method, broken };
}
