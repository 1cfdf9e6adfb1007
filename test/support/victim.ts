// A Banto in a process of its own that a test lets die at a named point, and starts again on what it left behind.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createClient } from '../../src/client/client.ts';
import { eventually } from './eventually.ts';

export type VictimClient = ReturnType<typeof createClient>;

export interface Victim {
  /** Where it works, and where it dies; '' nowhere. Answers when it has read the backlog. */
  start(place: object, point: string): Promise<{ client: VictimClient; died: Promise<unknown> }>;
  stop(died: Promise<unknown>): Promise<void>;
  kill(): void;
}

/** `script` gets the place and the point as arguments, and prints its address first. */
export function createVictim(script: string): Victim {
  let running: ChildProcess | null = null;
  return {
    async start(place, point) {
      const child = spawn(process.execPath, [script, JSON.stringify(place), point], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      running = child;
      const died = once(child, 'exit');
      const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      const client = createClient({ url, retry: { delaysMs: [], random: Math.random } });
      await eventually(
        () => client.ready(),
        (ready) => ready.mirrored,
      );
      return { client, died };
    },
    async stop(died) {
      running?.kill('SIGTERM');
      await died;
      running = null;
    },
    kill() {
      running?.kill('SIGKILL');
      running = null;
    },
  };
}
