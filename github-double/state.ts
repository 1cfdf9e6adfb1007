// What the double remembers. Items are never changed in place: each change makes a new version, so that a
// delivery shows the instant it speaks of and a stale listing can show what was true minutes ago.

export type Role = 'admin' | 'write' | 'triage' | 'read' | 'none';

export interface Account {
  readonly id: number;
  readonly login: string;
  readonly type: 'User' | 'Bot' | 'Organization';
}

export interface Label {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  readonly description: string | null;
}

export interface Review {
  readonly id: number;
  readonly author: Account;
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
  readonly body: string;
  readonly commit: string;
  readonly submittedAt: number;
}

export interface ReviewComment {
  readonly id: number;
  readonly reviewId: number;
  readonly author: Account;
  readonly body: string;
  readonly path: string;
  readonly line: number;
  readonly commit: string;
  readonly createdAt: number;
}

export interface Pull {
  readonly head: string;
  readonly headSha: string;
  readonly fork: boolean;
  readonly base: string;
  readonly baseSha: string;
  readonly draft: boolean;
  readonly mergedAt: number | null;
  readonly mergedBy: Account | null;
  readonly mergeSha: string | null;
  readonly reviews: readonly Review[];
  readonly reviewComments: readonly ReviewComment[];
}

/** An issue, or (where `pull` is set) a pull request: GitHub numbers them together. */
export interface Item {
  readonly id: number;
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
  readonly author: Account;
  /** Ids, because a label may be renamed. */
  readonly labels: readonly number[];
  readonly state: 'open' | 'closed';
  readonly stateReason: 'completed' | 'not_planned' | 'reopened' | null;
  readonly locked: boolean;
  readonly comments: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly closedAt: number | null;
  readonly closedBy: Account | null;
  readonly blockedBy: readonly number[];
  readonly pull: Pull | null;
}

export interface Comment {
  readonly id: number;
  readonly number: number;
  readonly author: Account;
  readonly body: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Happening {
  readonly id: number;
  readonly event:
    | 'labeled'
    | 'unlabeled'
    | 'closed'
    | 'reopened'
    | 'locked'
    | 'unlocked'
    | 'renamed'
    | 'merged'
    | 'converted_to_discussion'
    | 'cross-referenced';
  readonly actor: Account;
  readonly at: number;
  readonly label?: Label;
  readonly rename?: { readonly from: string; readonly to: string };
  readonly source?: { readonly repo: Repo; readonly number: number };
  readonly commit?: string;
}

export interface Commit {
  readonly author: Account;
  readonly at: number;
  readonly parent: string | null;
}

export type Gone = 'deleted' | { readonly repo: Repo; readonly number: number };

export interface Repo {
  readonly id: number;
  readonly owner: Account;
  name: string;
  private: boolean;
  archived: boolean;
  hasIssues: boolean;
  defaultBranch: string;
  readonly createdAt: number;
  pushedAt: number;
  /** Without the leading `refs/`: `heads/main` → commit. No ref at all: the repository is empty. */
  readonly refs: Map<string, string>;
  readonly commits: Map<string, Commit>;
  /** Names under `refs/` that a rule of the repository forbids to create. */
  readonly protectedRefs: RegExp[];
  readonly labels: Map<number, Label>;
  readonly items: Map<number, Item>;
  /** Numbers of the items by their ids. */
  readonly numbers: Map<number, number>;
  readonly past: Map<number, { readonly at: number; readonly item: Item | null }[]>;
  readonly gone: Map<number, Gone>;
  readonly comments: Map<number, Comment>;
  readonly timeline: Map<number, Happening[]>;
  readonly roles: Map<string, Role>;
  lastNumber: number;
  openItems: number;
  /** Rises with every change of an item: sorted listings are remembered by it. */
  version: number;
}

export interface World {
  /** The double's clock. */
  readonly now: () => number;
  /** The same with GitHub's resolution: whole seconds. */
  readonly stamp: () => number;
  readonly nextId: () => number;
  readonly sha: () => string;
  readonly account: (login: string, type?: Account['type']) => Account;
  readonly repos: Map<string, Repo>;
  /** Old full names of renamed repositories. */
  readonly renamed: Map<string, Repo>;
  readonly repo: (fullName: string) => Repo;
  /** Counts everything that was ever changed. */
  readonly changes: () => number;
  readonly changed: () => void;
}

export interface RepoOptions {
  readonly private?: boolean;
  readonly archived?: boolean;
  readonly hasIssues?: boolean;
  readonly defaultBranch?: string;
  readonly empty?: boolean;
}

export function fullName(repo: Repo): string {
  return `${repo.owner.login}/${repo.name}`;
}

export function createWorld(now: () => number): World {
  let id = 1000;
  let commit = 0;
  let changes = 0;
  const accounts = new Map<string, Account>();
  const repos = new Map<string, Repo>();
  return {
    now,
    stamp: () => Math.floor(now() / 1000) * 1000,
    nextId: () => ++id,
    sha: () => (++commit).toString(16).padStart(8, 'c').padEnd(40, '0'),
    account(login, type = login.endsWith('[bot]') ? 'Bot' : 'User') {
      const known = accounts.get(login.toLowerCase());
      if (known !== undefined) return known;
      const account: Account = { id: ++id, login, type };
      accounts.set(login.toLowerCase(), account);
      return account;
    },
    changes: () => changes,
    changed() {
      changes += 1;
    },
    repos,
    renamed: new Map(),
    repo(name) {
      const repo = repos.get(name.toLowerCase());
      if (repo === undefined) throw new Error(`the double has no repository ${name}`);
      return repo;
    },
  };
}

export function addRepo(world: World, name: string, options: RepoOptions = {}): Repo {
  const [owner = '', short = ''] = name.split('/');
  const defaultBranch = options.defaultBranch ?? 'main';
  const at = world.stamp();
  const repo: Repo = {
    id: world.nextId(),
    owner: world.account(owner),
    name: short,
    private: options.private ?? false,
    archived: options.archived ?? false,
    hasIssues: options.hasIssues ?? true,
    defaultBranch,
    createdAt: at,
    pushedAt: at,
    refs: new Map(),
    commits: new Map(),
    protectedRefs: [],
    labels: new Map(),
    items: new Map(),
    numbers: new Map(),
    past: new Map(),
    gone: new Map(),
    comments: new Map(),
    timeline: new Map(),
    roles: new Map([[owner.toLowerCase(), 'admin']]),
    lastNumber: 0,
    openItems: 0,
    version: 0,
  };
  if (options.empty !== true) {
    const sha = world.sha();
    repo.commits.set(sha, { author: repo.owner, at, parent: null });
    repo.refs.set(`heads/${defaultBranch}`, sha);
  }
  world.repos.set(name.toLowerCase(), repo);
  return repo;
}

export function renameRepo(world: World, repo: Repo, name: string): void {
  const old = fullName(repo).toLowerCase();
  repo.name = name;
  world.repos.delete(old);
  world.renamed.set(old, repo);
  world.repos.set(fullName(repo).toLowerCase(), repo);
}

/** How far back a stale listing may look. */
const PAST_KEPT_MS = 3_600_000;

/** Puts a new version of an item in place. */
export function put(world: World, repo: Repo, item: Item): Item {
  const opened =
    (item.state === 'open' ? 1 : 0) - (repo.items.get(item.number)?.state === 'open' ? 1 : 0);
  repo.openItems += opened;
  repo.items.set(item.number, item);
  repo.numbers.set(item.id, item.number);
  const past = repo.past.get(item.number) ?? [];
  const forgotten = world.now() - PAST_KEPT_MS;
  while ((past[1]?.at ?? Number.POSITIVE_INFINITY) < forgotten) past.shift();
  past.push({ at: world.now(), item });
  repo.past.set(item.number, past);
  repo.version += 1;
  return item;
}

export function takeAway(world: World, repo: Repo, number: number, gone: Gone): void {
  const item = repo.items.get(number);
  if (item?.state === 'open') repo.openItems -= 1;
  repo.items.delete(number);
  repo.gone.set(number, gone);
  repo.past.get(number)?.push({ at: world.now(), item: null });
  repo.version += 1;
}

/** The items as they were at an instant, for stale listings. */
export function itemsAt(repo: Repo, at: number): Item[] {
  const items: Item[] = [];
  for (const versions of repo.past.values()) {
    const item = versions.findLast((version) => version.at <= at)?.item;
    if (item !== undefined && item !== null) items.push(item);
  }
  return items;
}

export function labelNamed(repo: Repo, name: string): Label | undefined {
  const wanted = name.toLowerCase();
  for (const label of repo.labels.values()) if (label.name.toLowerCase() === wanted) return label;
  return undefined;
}

export function labelsOf(repo: Repo, item: Item): Label[] {
  return item.labels.flatMap((id) => repo.labels.get(id) ?? []);
}

export function itemNumbered(repo: Repo, number: number): Item {
  const item = repo.items.get(number);
  if (item === undefined) throw new Error(`the double has no ${fullName(repo)}#${number}`);
  return item;
}

const RANK: Readonly<Record<Role, number>> = { none: 0, read: 1, triage: 2, write: 3, admin: 4 };

export function roleOf(repo: Repo, login: string): Role {
  return repo.roles.get(login.toLowerCase()) ?? (repo.private ? 'none' : 'read');
}

export function hasRole(repo: Repo, login: string, role: Role): boolean {
  return RANK[roleOf(repo, login)] >= RANK[role];
}
