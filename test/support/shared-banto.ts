// Several real instances on one Redis and one backlog, a fleet at work on it, and the end of the run:
// everything done, everything told to people.

import { openRedisStore } from '../../src/store/redis/redis-store.ts';
import { type BacklogRepository, makeBacklogRepository } from './backlog-repository.ts';
import { eventually } from './eventually.ts';
import { type Instance, startInstance } from './instance.ts';
import { checkInvariants, type Violation } from './invariants.ts';
import { type Fleet, type FleetOptions, startFleet } from './roaming-agent.ts';

export const LEASE_SECONDS = 10;

export interface SharedBanto {
  readonly repository: BacklogRepository;
  readonly instances: readonly Instance[];
  writeIssues(from: number, to: number): Promise<void>;
  start(count: number, env: Readonly<Record<string, string>>): Promise<void>;
  work(options?: Partial<FleetOptions>): Fleet;
  /** Numbers of issues that still do not show `needs-review` alone. */
  unfinished(upTo: number): Promise<number[]>;
  stop(): Promise<void>;
}

export async function makeSharedBanto(): Promise<SharedBanto> {
  const repository = await makeBacklogRepository();
  const instances: Instance[] = [];
  const fleets: Fleet[] = [];
  return {
    repository,
    instances,
    async writeIssues(from, to) {
      for (let number = from; number <= to; number += 1) await repository.write(number);
    },
    async start(count, env) {
      const settings = {
        LEASE_SECONDS: String(LEASE_SECONDS),
        ADOPT_SECONDS: String(LEASE_SECONDS),
        REVIEW_DELAY_SECONDS: '3600',
        MAX_ATTEMPTS: '50',
        ...env,
      };
      for (let index = 0; index < count; index += 1) {
        instances.push(await startInstance({ repoDir: repository.repoDir, env: settings }));
      }
    },
    work(options = {}) {
      const fleet = startFleet({
        urls: () => instances.map(({ url }) => url),
        agents: 12,
        capabilities: ['python'],
        leaseSeconds: LEASE_SECONDS,
        workMs: (index) => 200 + 250 * (index % 8),
        beatEveryMs: 250,
        ...options,
      });
      fleets.push(fleet);
      return fleet;
    },
    async unfinished(upTo) {
      const left: number[] = [];
      for (let number = 1; number <= upTo; number += 1) {
        const labels = await repository.labels(number);
        if (labels.join() !== 'python,needs-review') left.push(number);
      }
      return left;
    },
    async stop() {
      await Promise.all(fleets.map((fleet) => fleet.stop()));
      await Promise.all(instances.map((instance) => instance.kill()));
      await repository.remove();
    },
  };
}

export function completed({ held }: Fleet): Set<string> {
  return new Set(held.filter(({ end }) => end === 'completed').map(({ taskId }) => taskId));
}

export async function untilCompleted(fleet: Fleet, count: number, ms = 60_000): Promise<void> {
  await eventually(
    async () => completed(fleet).size,
    (done) => done >= count,
    ms,
  );
}

/** I1 to I5, from everything that the store recorded. */
export async function violationsAt(url: string): Promise<Violation[]> {
  const store = await openRedisStore({ connection: { url } });
  try {
    return checkInvariants(await store.facts(0, 100_000));
  } finally {
    await store.close();
  }
}
