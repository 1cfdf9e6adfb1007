// GitHub as the forge: issues are the backlog, labels the ledger. Display, never the lock.

import type { Forge, ForgeChange } from '../../core/forge.ts';
import { check, findProblems } from './account/check.ts';
import { createIdentity } from './account/identity.ts';
import { createTrust } from './account/trust.ts';
import { createWriteAccess } from './account/write-access.ts';
import { type ClientOptions, createClient, type GithubAuth } from './http/client.ts';
import { createRepositoryApi } from './http/repository-api.ts';
import { systemTimers } from './http/system-timers.ts';
import { createRepositoryMirror } from './issues/repository-mirror.ts';
import { createBranches } from './ledger/branches.ts';
import { createComments } from './ledger/comments.ts';
import { createGraphqlLabels } from './ledger/graphql-labels.ts';
import { createLabels } from './ledger/labels.ts';
import { createReplies, HOW_TO_REPLY } from './ledger/replies.ts';
import { openPull } from './pulls/open-pull.ts';
import { createPushMirror } from './pushes/push-mirror.ts';
import { type GithubPush, isPushNumber } from './pushes/pushes.ts';
import { createDebouncer } from './webhooks/debounce.ts';
import { createOwnChanges } from './webhooks/own-changes.ts';
import { createWebhook } from './webhooks/webhook.ts';

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
  readHints(): Promise<void>;
}

const CHECKED_MS = 300_000;

export function openGithubForge(options: GithubForgeOptions): GithubForge {
  const { auth, now = Date.now, after = systemTimers.after } = options;
  const log = options.log ?? { warn: () => undefined };
  const client = createClient({ ...options, now, after });
  const listeners = new Set<(change: ForgeChange) => void>();
  const tell = (change: ForgeChange) => {
    const { issues, gone, lostLabels = [], commented = [], unreachable = false } = change;
    const told = issues.length + gone.length + lostLabels.length + commented.length;
    if (told === 0 && !unreachable) return;
    for (const listener of listeners) listener(change);
  };

  const me = createIdentity(client, auth);

  function openRepository(repository: string) {
    const api = createRepositoryApi(client, repository, now);
    const access = createWriteAccess(api, now);
    const trust = options.trustedOnly === true ? createTrust(api, me, access) : null;
    const mirror = createRepositoryMirror({ api, trust, now });
    const labels = createLabels(api, createGraphqlLabels(api, mirror.nodeId, now));
    const ownChanges = createOwnChanges(now);
    const branches = createBranches(api, now);
    const comments = createComments(api, () => me.login);
    const replies = createReplies(api, access, () => me.login);
    const wanted = options.reviewPushes === true;
    const pushes = createPushMirror({ api, mirror, branches, wanted, now });
    const debouncer = createDebouncer({ mirror, tell, after, now, log });
    /** Pushes that were delivered and are being taken in, in their order. */
    let takingIn: Promise<void> = Promise.resolve();

    return {
      api,
      mirror,
      labels,
      ownChanges,
      branches,
      comments,
      replies,
      commented: (number: number) =>
        tell({ repository, issues: [], gone: [], commented: [number] }),
      // While nobody listens, what was delivered waits for the next poll.
      soon: () => {
        if (listeners.size > 0) debouncer.soon();
      },
      pushes,
      push: (push: GithubPush) => {
        takingIn = takingIn
          .then(() => pushes.takeIn(push))
          .then((item) => tell({ repository, issues: item === null ? [] : [item], gone: [] }))
          .catch((error: unknown) => log.warn({ err: error }, 'could not take in a push'));
      },
      async readHints() {
        await takingIn;
        await debouncer.runOnce();
      },
      async stop() {
        await takingIn;
        await debouncer.stop();
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
  const apis = [...opened.values()].map(({ api }) => api);
  let checked: { readonly at: number; readonly result: Promise<void> } | null = null;

  return {
    kind: 'github',
    repositories: options.repositories,
    hasPullRequests: true,
    rhythm: {
      // Deliveries bring changes at once where they are set up; polling then only repairs.
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
      const push = await pushes.findMissed().catch((error: unknown) => {
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
    openPull: (repository, branch, wish) => openPull(at(repository).api, branch, wish),
    hasBranch: (repository, branch) => at(repository).branches.has(branch),
    createBranch: (repository, branch) => at(repository).branches.create(branch),
    async setLabels(repository, number, change) {
      // A push has nothing that a label could stand on.
      if (isPushNumber(number)) return;
      const { ownChanges, labels } = at(repository);
      ownChanges.note(number, change);
      await labels.set(number, change);
    },
    async comment(repository, number, key, text) {
      if (isPushNumber(number)) return;
      await me.learn();
      await at(repository).comments.put(number, key, text);
    },
    replies: {
      how: HOW_TO_REPLY,
      async read(repository, number, keys, sinceAt) {
        if (isPushNumber(number)) return [];
        await me.learn();
        return at(repository).replies(number, keys, sinceAt);
      },
    },
    check() {
      // `/ready` may be asked every second: GitHub is not.
      if (checked !== null && now() - checked.at < CHECKED_MS) return checked.result;
      const result = check(client, auth, apis);
      checked = { at: now(), result };
      result.catch(() => {
        checked = null;
      });
      return result;
    },
    async readHints() {
      for (const { readHints } of opened.values()) await readHints();
    },
    problems: () => findProblems(client, auth, apis),
    defaultBranch: async (repository) => (await at(repository).api.about()).default_branch,
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
