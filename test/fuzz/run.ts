// One fuzz run: inputs of every kind, and for each of them the same three questions. Did the server fail? Did
// the input keep the event loop busy? Did a refused input change anything?

import { backlogFile, takeFile } from './backlog.ts';
import { createDice } from './dice.ts';
import { httpRequest, type Learned, learnFrom, type RawRequest, routesOf } from './http.ts';
import { openRawClient } from './raw-client.ts';
import { REPOSITORY, SECRET, startFuzzedServer } from './server.ts';
import { delivery } from './webhooks.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly inputs: number;
  /** The first input; those before it are left out. */
  readonly from?: number;
  /** Only inputs of this kind: `request`, `delivery` or `file`. */
  readonly only?: string | undefined;
  /** How long a text may be, in characters. */
  readonly size: number;
  readonly progress?: (done: number) => void;
  /** Told of each finding at once: a long run may be broken off. */
  readonly found?: (finding: Finding) => void;
}

export interface Finding {
  readonly input: number;
  readonly kind: string;
  readonly what: string;
  /** The beginning of the input. */
  readonly shown: string;
}

export interface FuzzReport {
  readonly findings: readonly Finding[];
  /** How many answers had each status, and how many files were read. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly slowestMs: number;
}

const STALL_MS = 100;
const MOST_FINDINGS = 20;
const REFILL_EVERY = 1000;

/** Time that this thread computed: a busy machine does not lengthen it. */
async function cpuOf<T>(act: () => T | Promise<T>): Promise<{ ms: number; result: T }> {
  const before = process.threadCpuUsage();
  const result = await act();
  const used = process.threadCpuUsage(before);
  return { ms: (used.user + used.system) / 1000, result };
}

export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { seed, size, from = 0 } = options;
  const findings: Finding[] = [];
  const statuses: Record<string, number> = {};
  let slowestMs = 0;
  const server = await startFuzzedServer();
  const client = openRawClient(server.port);
  const learned: Learned = { taskIds: [], tokens: [] };
  const openapi = await fetch(`http://127.0.0.1:${server.port}/openapi.json`);
  const routes = routesOf((await openapi.json()) as Parameters<typeof routesOf>[0]);

  function report(input: number, kind: string, what: string, bytes: Buffer): void {
    const finding = { input, kind, what, shown: bytes.subarray(0, 600).toString('latin1') };
    findings.push(finding);
    options.found?.(finding);
  }

  /** A pause of the collector may fall into any input: only what is slow again and again is slow. */
  async function isSlow(first: number, again: () => unknown): Promise<number | null> {
    let least = first;
    for (let tries = 0; tries < 3 && least > STALL_MS; tries += 1) {
      least = Math.min(least, (await cpuOf(again)).ms);
    }
    slowestMs = Math.max(slowestMs, least);
    return least > STALL_MS ? least : null;
  }

  async function ask(input: number, kind: string, request: RawRequest): Promise<void> {
    const { bytes, method, broken } = request;
    const send = () => client.send(bytes, { head: method === 'HEAD', last: broken });
    const before = server.marks();
    const { ms, result } = await cpuOf(send);
    const { status, body } = result;
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status >= 500 && status !== 503) report(input, kind, `${status} ${body}`, bytes);
    if (status === -1) report(input, kind, 'no answer within 20 s', bytes);
    if (status === 0 && !broken) report(input, kind, 'closed without an answer', bytes);
    if (status >= 400 && status < 500 && server.marks() !== before) {
      report(input, kind, `refused with ${status}, and something was changed`, bytes);
    }
    if (status === 200) learnFrom(learned, body);
    const slow = await isSlow(ms, send);
    if (slow !== null) report(input, kind, `${Math.round(slow)} ms of event loop`, bytes);
  }

  async function read(input: number, bytes: Buffer): Promise<void> {
    const copy = Buffer.from(bytes);
    statuses['file'] = (statuses['file'] ?? 0) + 1;
    try {
      const { ms } = await cpuOf(() => takeFile(bytes));
      const slow = await isSlow(ms, () => takeFile(bytes));
      if (slow !== null) report(input, 'file', `${Math.round(slow)} ms of event loop`, bytes);
    } catch (error) {
      report(input, 'file', error instanceof Error ? String(error.stack) : String(error), bytes);
    }
    if (!copy.equals(bytes)) report(input, 'file', 'the file was changed', bytes);
  }

  try {
    await server.refill();
    for (let input = from; input < options.inputs; input += 1) {
      const dice = createDice(seed, input);
      if (input % REFILL_EVERY === 0) await server.refill();
      const throwOf = dice.int(10);
      const kind = throwOf < 6 ? 'request' : throwOf < 8 ? 'delivery' : 'file';
      if (options.only !== undefined && options.only !== kind) continue;
      if (kind === 'request') await ask(input, 'request', httpRequest(routes, dice, size, learned));
      else if (kind === 'delivery')
        await ask(input, 'delivery', delivery(dice, size, REPOSITORY, SECRET));
      else await read(input, backlogFile(dice, size));
      options.progress?.(input);
      if (findings.length >= MOST_FINDINGS) break;
    }
  } finally {
    client.close();
    await server.close();
  }
  return { findings, statuses, slowestMs };
}

/** What to run to see a finding again. */
export function repeatLine({ seed, size }: FuzzOptions, { input }: Finding): string {
  return `npm run fuzz -- --seed ${seed} --size ${size} --inputs ${input + 1} --from ${input} (or without --from, where it needs what came before)`;
}
