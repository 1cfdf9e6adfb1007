// GitHub for tests: real HTTP on a loopback port, with state, limits, faults and webhooks.

import type { AddressInfo } from 'node:net';
import { createActs } from './acts/acts.ts';
import { createPerson, type Person } from './acts/person.ts';
import { accountRoutes } from './routes/account.ts';
import { commentRoutes } from './routes/comments.ts';
import { mutateLabels } from './routes/graphql-labels.ts';
import { issueRoutes } from './routes/issues.ts';
import { labelRoutes } from './routes/labels.ts';
import { closingIssues, pullRoutes } from './routes/pulls.ts';
import { refRoutes } from './routes/refs.ts';
import { createRouter, fields, Refusal, type Route } from './routes/route.ts';
import { type App, createAuth, type TokenOptions } from './server/auth.ts';
import { createFaults, type Faults } from './server/faults.ts';
import { createLimits, type LimitOptions, type Limits } from './server/limits.ts';
import { createGithubServer, type Request } from './server/server.ts';
import { createWebhooks, type Webhooks, type WebhookTarget } from './server/webhooks.ts';
import { createPayloads, type Payloads } from './shapes/payloads.ts';
import { createShapes, type Shapes } from './shapes/shapes.ts';
import {
  addRepo,
  createWorld,
  labelsOf,
  type Repo,
  type RepoOptions,
  type Role,
  renameRepo,
  type World,
} from './state.ts';

export interface DoubleOptions {
  /** Full names; more with `addRepository`. */
  readonly repositories?: readonly string[];
  /** The token that may do everything, of the account `banto`, who may write. */
  readonly token?: string;
  /** `false`: switched off (a `retry-after` is still watched). */
  readonly limits?: Partial<LimitOptions> | false;
  /** An instant: the clock stands there until it is advanced. A function: somebody else's clock. */
  readonly clock?: number | (() => number);
  readonly webhook?: WebhookTarget;
  readonly latencyMs?: number;
  readonly port?: number;
}

export interface GithubDouble {
  /** For `GITHUB_API_URL`; `enterpriseUrl` is the same with `/api/v3`. */
  readonly url: string;
  readonly enterpriseUrl: string;
  readonly token: string;
  readonly app: App;
  readonly world: World;
  readonly clock: { readonly now: () => number; readonly advance: (ms: number) => void };
  /** Every request, oldest first. */
  readonly requests: readonly Request[];
  readonly faults: Faults;
  readonly limits: Limits;
  readonly webhooks: Webhooks;
  readonly addRepository: (name: string, options?: RepoOptions) => Repo;
  readonly renameRepository: (name: string, to: string) => void;
  readonly addToken: (token: string, options?: TokenOptions) => void;
  readonly revoke: (token: string) => void;
  readonly setRole: (repository: string, login: string, role: Role) => void;
  /** Acts as a person would, in the browser or with git. */
  readonly as: (login: string) => Person;
  /** The names of the labels an issue has now. */
  readonly labels: (repository: string, number: number) => string[];
  readonly ping: (repository: string) => void;
  readonly installation: (action: 'created' | 'deleted' | 'suspend' | 'unsuspend') => void;
  /** The App is given a repository, or loses it. */
  readonly installationRepositories: (action: 'added' | 'removed', repository: string) => void;
  readonly setLatency: (ms: number) => void;
  readonly close: () => Promise<void>;
}

export async function startGithubDouble(options: DoubleOptions = {}): Promise<GithubDouble> {
  const { clock: given = Date.now } = options;
  let offset = 0;
  const base = typeof given === 'number' ? () => given : given;
  const now = () => base() + offset;
  const token = options.token ?? 'github_pat_double';
  let latencyMs = options.latencyMs ?? 0;

  const world = createWorld(now);
  const auth = createAuth(world);
  const limits = createLimits(now, options.limits ?? {});
  const faults = createFaults(now);
  const webhooks = createWebhooks(now, options.webhook ?? null);
  const log: Request[] = [];
  let shapes: Shapes | null = null;
  let payloads: Payloads | null = null;
  const acts = createActs(world, (told) => {
    const wording = payloads;
    if (wording !== null) webhooks.emit(told.event, () => wording.of(told));
  });
  const graphql: Route = {
    operation: 'POST /graphql',
    handle(call) {
      const { variables, query } = fields(call);
      if (String(query).startsWith('mutation')) return mutateLabels(call, auth);
      const { owner, repo, name } = (variables ?? {}) as Record<string, unknown>;
      const found = world.repos.get(`${owner as string}/${(repo ?? name) as string}`.toLowerCase());
      if (found === undefined || !auth.canSee(call.who, found)) throw new Refusal(404, 'Not Found');
      return closingIssues(call, found);
    },
  };
  const routes = [
    ...accountRoutes(auth, limits),
    ...issueRoutes,
    ...commentRoutes,
    ...labelRoutes,
    ...refRoutes,
    ...pullRoutes,
    graphql,
  ];
  const server = createGithubServer({
    world,
    auth,
    limits,
    faults,
    acts,
    shapes() {
      if (shapes === null) throw new Error('the double is not listening yet');
      return shapes;
    },
    find: createRouter(routes),
    log,
    latencyMs: () => latencyMs,
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const made = createShapes({ api: url, html: url });
  const said = createPayloads(made, world.stamp);
  shapes = made;
  payloads = said;

  const addRepository: GithubDouble['addRepository'] = (name, more) => {
    const repo = addRepo(world, name, more);
    repo.roles.set('banto', 'write');
    return repo;
  };
  auth.addToken(token);
  for (const name of options.repositories ?? []) addRepository(name);

  return {
    url,
    enterpriseUrl: `${url}/api/v3`,
    token,
    app: auth.app,
    world,
    clock: {
      now,
      advance(ms) {
        offset += ms;
      },
    },
    requests: log,
    faults,
    limits,
    webhooks,
    addRepository,
    renameRepository: (name, to) => renameRepo(world, world.repo(name), to),
    addToken: auth.addToken,
    revoke: auth.revoke,
    setRole: (name, login, role) => void world.repo(name).roles.set(login.toLowerCase(), role),
    as: (login) => createPerson(world, acts, login),
    labels(name, number) {
      const repo = world.repo(name);
      const item = repo.items.get(number);
      return item === undefined ? [] : labelsOf(repo, item).map((label) => label.name);
    },
    ping(name) {
      const target = webhooks.target();
      const hook = { id: 1, url: target?.url ?? url };
      webhooks.emit('ping', () => said.ping(world.repo(name), hook));
    },
    installation(action) {
      if (action === 'suspend' || action === 'unsuspend') auth.app.suspended = action === 'suspend';
      const repos = [...world.repos.values()];
      const by = repos[0]?.owner ?? auth.app.account;
      webhooks.emit('installation', () => said.installation(action, auth.app, repos, by));
    },
    installationRepositories(action, name) {
      const names = [...world.repos.keys()];
      const { repositories: before } = auth.app;
      const given = new Set(before === 'all' ? names : before);
      if (action === 'added') given.add(name.toLowerCase());
      else given.delete(name.toLowerCase());
      auth.app.repositories = given;
      const repo = world.repo(name);
      webhooks.emit('installation_repositories', () =>
        said.installationRepositories(action, auth.app, [repo], repo.owner),
      );
    },
    setLatency(ms) {
      latencyMs = ms;
    },
    async close() {
      webhooks.close();
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
