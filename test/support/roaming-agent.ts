// Agents as they are in the wild: they ask whichever instance answers, repeat what they never heard the
// answer to, and keep their own record of what they were told. The record is what faults are judged by.

import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** One lease as its holder knows it. Instants of this machine's clock, in milliseconds. */
export interface Held {
  readonly agent: string;
  readonly taskId: string;
  readonly fence: number;
  readonly token: string;
  readonly heardAt: number;
  expiresAt: number;
  /** When the holder began to tell that it is done, and what it heard. */
  endSentAt: number | null;
  end: 'completed' | 'lost' | null;
}

export interface Fleet {
  readonly held: readonly Held[];
  /** Refusals and broken connections, by kind. */
  readonly troubles: ReadonlyMap<string, number>;
  /** Statuses of heartbeats. */
  readonly beats: ReadonlySet<number>;
  stop(): Promise<void>;
}

export interface FleetOptions {
  /** Where to ask; read again for each try. */
  readonly urls: () => readonly string[];
  readonly agents: number;
  readonly capabilities: readonly string[];
  readonly leaseSeconds?: number;
  readonly waitSeconds?: number;
  /** How long a task is worked on; Infinity: held until the end. */
  readonly workMs: (agent: number) => number;
  /** False: as agents that name no request. */
  readonly nameRequests?: boolean;
  readonly onUnfinished?: 'complete' | 'resume';
  readonly beatEveryMs?: number;
}

const PAUSE_MS = 150;

export function createCaller(): {
  post(url: string, body: object, timeoutMs?: number): Promise<Reply>;
  close(): void;
} {
  const sockets = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  return {
    close: () => sockets.destroy(),
    post: (url, body, timeoutMs = 60_000) =>
      new Promise((resolve, reject) => {
        const headers = { 'content-type': 'application/json' };
        const options = { method: 'POST', agent: sockets, headers, timeout: timeoutMs };
        const sent = httpRequest(url, options, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('error', reject);
          response.on('end', () => {
            const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
            resolve({ status: response.statusCode ?? 0, body });
          });
        });
        sent.on('timeout', () => sent.destroy(new Error('timeout')));
        sent.on('error', reject);
        sent.end(JSON.stringify(body));
      }),
  };
}

export function startFleet(options: FleetOptions): Fleet {
  const { urls, agents, capabilities, leaseSeconds = 600, waitSeconds = 5 } = options;
  const held: Held[] = [];
  const troubles = new Map<string, number>();
  const beats = new Set<number>();
  const caller = createCaller();
  const stopping = new AbortController();
  const { signal } = stopping;

  function trouble(kind: string): void {
    troubles.set(kind, (troubles.get(kind) ?? 0) + 1);
  }

  /** Until somebody gives an answer that is one; null: the fleet was stopped. */
  async function insist(
    path: string,
    body: object,
    index: number,
    on: (reply: Reply) => void = () => undefined,
  ): Promise<Reply | null> {
    for (let tries = index; !signal.aborted; tries += 1) {
      const all = urls();
      try {
        const reply = await caller.post(`${all[tries % all.length]}/api/v1${path}`, body);
        on(reply);
        if (reply.status !== 503 && reply.status !== 429) return reply;
        trouble(String(reply.status));
      } catch (error) {
        trouble((error as NodeJS.ErrnoException).code ?? String(error));
      }
      await pause(PAUSE_MS);
    }
    return null;
  }

  async function beatUntil(untilAt: number, lease: Held, index: number): Promise<void> {
    const everyMs = options.beatEveryMs ?? (leaseSeconds * 1000) / 4;
    while (!signal.aborted && Date.now() < untilAt) {
      await pause(Math.min(everyMs, Math.max(1, untilAt - Date.now()), 250));
      if (Date.now() < untilAt && leaseSeconds < 100) {
        const path = `/tasks/${lease.taskId}/heartbeat`;
        const reply = await insist(path, { lease_token: lease.token }, index, ({ status }) =>
          beats.add(status),
        );
        if (reply?.status !== 200) return;
        lease.expiresAt = Date.parse(String(reply.body.expires_at));
      }
    }
  }

  async function work(lease: Held, index: number): Promise<void> {
    await beatUntil(Date.now() + options.workMs(index), lease, index);
    if (signal.aborted) return;
    lease.endSentAt = Date.now();
    const done = { lease_token: lease.token, summary: `fence ${lease.fence}` };
    const reply = await insist(`/tasks/${lease.taskId}/complete`, done, index);
    if (reply !== null) lease.end = reply.status === 200 ? 'completed' : 'lost';
  }

  async function agent(index: number): Promise<void> {
    const name = `a${index}`;
    for (let round = 0; !signal.aborted; round += 1) {
      const reply = await insist(
        '/request-task',
        {
          agent_id: name,
          capabilities,
          wait_seconds: waitSeconds,
          lease_seconds: leaseSeconds,
          on_unfinished: options.onUnfinished ?? 'resume',
          ...(options.nameRequests === false ? {} : { request_id: `${name}-${round}` }),
        },
        index,
      );
      if (reply?.status !== 200) continue;
      const lease = reply.body.lease as { token: string; fence: number; expires_at: string };
      const one: Held = {
        agent: name,
        taskId: String(reply.body.task_id),
        fence: lease.fence,
        token: lease.token,
        heardAt: Date.now(),
        expiresAt: Date.parse(lease.expires_at),
        endSentAt: null,
        end: null,
      };
      held.push(one);
      await work(one, index);
    }
  }

  const running = Promise.all(Array.from({ length: agents }, (_, index) => agent(index)));
  return {
    held,
    troubles,
    beats,
    async stop() {
      stopping.abort();
      caller.close();
      await running;
    },
  };
}

/** What must be true of the records of all agents together, whatever the store has forgotten. */
export function judge(held: readonly Held[]): string[] {
  const wrong: string[] = [];
  for (const [taskId, leases] of Map.groupBy(held, (lease) => lease.taskId)) {
    const inOrder = [...leases].sort((one, other) => one.heardAt - other.heardAt);
    for (const [index, next] of inOrder.entries()) {
      const before = inOrder[index - 1];
      if (before === undefined) continue;
      if (before.fence === next.fence && before.agent === next.agent) continue;
      const say = (text: string) =>
        wrong.push(
          `${taskId}: ${text} (${before.agent} ${before.fence}, ${next.agent} ${next.fence})`,
        );
      if (next.fence <= before.fence) say('I2: the fence did not rise');
      const ended = before.end !== null && (before.endSentAt ?? 0) <= next.heardAt;
      if (!ended && next.heardAt < before.expiresAt) say('I1: held by two at once');
      if (before.end === 'completed' && (before.endSentAt ?? 0) > next.heardAt) {
        say('I3: a stale holder completed it');
      }
    }
  }
  return wrong;
}
