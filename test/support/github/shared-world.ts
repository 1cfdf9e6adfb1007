// Several Bantos without their doors, on one Redis and one double, in simulated time: whatever leaves any of them
// for GitHub is counted by GitHub's published limits.

import { type GithubDouble, startGithubDouble } from '../../../github-double/double.ts';
import { createBroker, type RunningBroker } from '../../../src/broker/create-broker.ts';
import type { OpenPace } from '../../../src/core/pace/pace.ts';
import { DEFAULT_POLICY } from '../../../src/core/settings.ts';
import type { Store } from '../../../src/core/store.ts';
import { openGithubForge } from '../../../src/forge/github/github-forge.ts';
import { openRedisStore } from '../../../src/store/redis/redis-store.ts';
import { createSimulatedTime, type SimulatedTime } from '../simulated-time.ts';
import { silentLog } from '../world.ts';

export const SHOP = 'octo/shop';
/** How long GitHub takes to answer. */
export const ANSWER_MS = 300;
const HOUR_MS = 3_600_000;

export interface SharedWorld {
  readonly github: GithubDouble;
  readonly time: SimulatedTime;
  readonly brokers: readonly RunningBroker[];
  readonly store: Store;
  openIssues(count: number): number[];
  close(): Promise<void>;
}

export async function makeSharedWorld(redisUrl: string, instances: number): Promise<SharedWorld> {
  const time = createSimulatedTime();
  const { now } = time;
  // Counted as strictly as GitHub might: every write creates content.
  const github = await startGithubDouble({
    repositories: [SHOP],
    clock: now,
    limits: { creations: 'write', creationsPerHour: 100_000 },
  });
  github.setRole(SHOP, 'ann', 'write');
  const closers: (() => Promise<void>)[] = [];

  async function send(url: string | URL | Request, init?: RequestInit): Promise<Response> {
    const read = async () => {
      const answer = await fetch(url, init);
      const { status, headers } = answer;
      const body = await answer.arrayBuffer();
      return new Response([204, 304].includes(status) ? null : body, { status, headers });
    };
    const answer = await time.busy(read());
    await time.sleep(ANSWER_MS);
    return answer;
  }

  async function open() {
    const redis = await openRedisStore({
      connection: { url: redisUrl },
      repositories: [SHOP],
      clock: { now },
    });
    const openPace: OpenPace = (identity, limits) => time.watched(redis.openPace(identity, limits));
    const store: Store = time.watched({ ...redis, tickets: time.watched(redis.tickets) });
    const forge = openGithubForge({
      repositories: [SHOP],
      apiUrl: github.url,
      auth: { kind: 'token', token: github.token },
      webhookSecret: null,
      now,
      after: time.timers.after,
      fetch: send,
      openPace,
    });
    const broker = createBroker({
      store,
      forge,
      policy: DEFAULT_POLICY,
      log: silentLog,
      timers: time.timers,
    });
    closers.push(async () => {
      await broker.stop();
      await forge.close();
      await redis.close();
    });
    return { store, broker };
  }

  const opened: Awaited<ReturnType<typeof open>>[] = [];
  for (let index = 0; index < instances; index += 1) opened.push(await open());
  const [first] = opened;
  if (first === undefined) throw new Error('There is no instance.');
  for (const { broker } of opened) await time.busy(broker.start());
  return {
    github,
    time,
    brokers: opened.map(({ broker }) => broker),
    store: first.store,
    openIssues: (count) =>
      Array.from({ length: count }, (_, index) => {
        const body = `## Deliverables\n\n- number ${index}\n`;
        const issue = { title: `Issue ${index}`, body, labels: ['python'] };
        return github.as('ann').openIssue(SHOP, issue).number;
      }),
    async close() {
      let closed = false;
      const closing = async () => {
        for (const close of closers) await close();
        closed = true;
      };
      // A call that is under way waits for GitHub in simulated time: that goes on until all have ended.
      const going = time.runUntil(() => closed, HOUR_MS).catch(() => undefined);
      await Promise.all([closing(), going]);
      await github.close();
      time.close();
    },
  };
}
