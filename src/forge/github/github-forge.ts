// GitHub as the forge: issues are the backlog, labels the ledger. Display, never the lock.

import type { Forge, ForgeChange } from '../../core/forge.ts';
import { createBranches } from './branches.ts';
import { check, findProblems } from './check.ts';
import { type ClientOptions, createClient, type GithubAuth } from './client.ts';
import { createComments } from './comments.ts';
import { createEchoes } from './echoes.ts';
import { createIdentity } from './identity.ts';
import { createLabels } from './labels.ts';
import { createLabelsAtOnce } from './labels-at-once.ts';
import { openPull } from './open-pull.ts';
import { createPlace } from './place.ts';
import { createPushMirror } from './push-mirror.ts';
import { type GithubPush, isPushNumber } from './pushes.ts';
import { createRepositoryMirror } from './repository-mirror.ts';
import { createSettler } from './settler.ts';
import { systemTimers } from './system-timers.ts';
import { createTrust } from './trust.ts';
import { createWebhook } from './webhook.ts';

export interface GithubForgeOptions extends Partial<ClientOptions> {
  readonly repositories: readonly string[];
  readonly apiUrl: string;
  readonly auth: GithubAuth;
  readonly webhookSecret: string | null;
  readonly reviewPushes?: boolean;
  readonly trustedOnly?: boolean;
  readonly log?: { warn(data: object, message: string): void };
}

export interface GithubForge extends Forge {
  /** What the credentials lack, one sentence each. */
  problems(): Promise<string[]>;
  /** Looks at once at what deliveries hinted at. */
  settle(): Promise<void>;
}

const CHECKED_MS = 300_000;

export function openGithubForge(options: GithubForgeOptions): GithubForge {
  const { auth, now = Date.now, after = systemTimers.after } = options;
  const log = options.log ?? { warn: () => undefined };
  const client = createClient({ ...options, now, after });
  const listeners = new Set<(change: ForgeChange) => void>();
  const tell = (change: ForgeChange) => {
    const { issues, gone, lostLabels = [], unreachable = false } = change;
    if (issues.length + gone.length + lostLabels.length === 0 && !unreachable) return;
    for (const listener of listeners) listener(change);
  };

  const me = createIdentity(client, auth);

  function openRepository(repository: string) {
    const place = createPlace(client, repository, now);
    const trust = options.trustedOnly === true ? createTrust(place, me, now) : null;
    const mirror = createRepositoryMirror({ place, trust, now });
    const labels = createLabels(place, createLabelsAtOnce(place, mirror.nodeId, now));
    const echoes = createEchoes(now);
    const branches = createBranches(place, now);
    const comments = createComments(place, () => me.login);
    const wanted = options.reviewPushes === true;
    const pushes = createPushMirror({ place, mirror, branches, wanted, now });
    const settler = createSettler({ mirror, tell, after, now, log });
    /** Pushes that were delivered and are being taken in, in their order. */
    let hearing: Promise<void> = Promise.resolve();

    return {
      place,
      mirror,
      labels,
      echoes,
      branches,
      comments,
      // While nobody listens, what was delivered waits for the next poll.
      soon: () => {
        if (listeners.size > 0) settler.soon();
      },
      pushes,
      push: (push: GithubPush) => {
        hearing = hearing
          .then(() => pushes.hear(push))
          .then((item) => tell({ repository, issues: item === null ? [] : [item], gone: [] }))
          .catch((error: unknown) => log.warn({ err: error }, 'could not take in a push'));
      },
      async settle() {
        await hearing;
        await settler.runOnce();
      },
      async stop() {
        await hearing;
        await settler.stop();
      },
    };
  }

  const opened = new Map(
    options.repositories.map((name) => [name.toLowerCase(), openRepository(name)]),
  );
  const at = (repository: string) => {
    const found = opened.get(repository.toLowerCase());
    if (found === undefined)
      throw new Error(`${repository} is not one of this forge's repositories.`);
    return found;
  };
  const places = [...opened.values()].map(({ place }) => place);
  let checked: { readonly at: number; readonly result: Promise<void> } | null = null;

  return {
    kind: 'github',
    repositories: options.repositories,
    hasPullRequests: true,
    rhythm: {
      // Deliveries bring changes at once where they are set up; polling then only heals.
      pollMs: options.webhookSecret === null ? Math.max(10_000, 5000 * opened.size) : 60_000,
      fullPassMs: 900_000,
      // Writes are paced: more at once would only be sent away and come back.
      writesAtOnce: 3,
    },
    async *list(repository) {
      const { labels, mirror, branches } = at(repository);
      const lostLabels = await labels.learn();
      if (lostLabels.length > 0) tell({ repository, issues: [], gone: [], lostLabels });
      await branches.head(0);
      yield* mirror.list();
    },
    async changes(repository, cursor) {
      const { mirror, branches, pushes } = at(repository);
      // Kept fresh here, so that a hand-out reads nothing; a 304 costs nothing.
      await branches.head(0);
      const { change, cursor: next } = await mirror.changes(cursor);
      const push = await pushes.findUnheard().catch((error: unknown) => {
        log.warn({ err: error }, 'could not look for pushes; trying again at the next poll');
        return null;
      });
      const issues = push === null ? change.issues : [...change.issues, push];
      return { change: { ...change, issues }, cursor: next };
    },
    watch(listener) {
      listeners.add(listener);
      return async () => {
        listeners.delete(listener);
      };
    },
    read: (repository, number) =>
      isPushNumber(number)
        ? at(repository).pushes.read(number)
        : at(repository).mirror.read(number),
    pull: (repository, number, issue) => at(repository).mirror.pull(number, issue),
    openPull: (repository, branch, wish) => openPull(at(repository).place, branch, wish),
    hasBranch: (repository, branch) => at(repository).branches.has(branch),
    createBranch: (repository, branch) => at(repository).branches.create(branch),
    async setLabels(repository, number, change) {
      // A push has nothing that a label could stand on.
      if (isPushNumber(number)) return;
      const { echoes, labels } = at(repository);
      echoes.note(number, change);
      await labels.set(number, change);
    },
    async comment(repository, number, key, text) {
      if (isPushNumber(number)) return;
      await me.learn();
      await at(repository).comments.put(number, key, text);
    },
    check() {
      // `/ready` may be asked every second: GitHub is not.
      if (checked !== null && now() - checked.at < CHECKED_MS) return checked.result;
      const result = check(client, auth, places);
      checked = { at: now(), result };
      result.catch(() => {
        checked = null;
      });
      return result;
    },
    async settle() {
      for (const { settle } of opened.values()) await settle();
    },
    problems: () => findProblems(client, auth, places),
    defaultBranch: async (repository) => (await at(repository).place.about()).default_branch,
    budget: () => client.budget(),
    ...(options.webhookSecret === null
      ? {}
      : { webhook: createWebhook(options.webhookSecret, opened) }),
    async close() {
      listeners.clear();
      for (const { stop } of opened.values()) await stop();
    },
  };
}
