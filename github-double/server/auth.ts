// Who is asking: personal tokens (fine-grained or classic), the App by its signed JWT, and its installations
// by tokens that end after an hour of the double's clock.

import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { Refusal, type Route, type Scope } from '../routes/route.ts';
import { type Account, fullName, hasRole, type Repo, roleOf, type World } from '../state.ts';

type Level = 'read' | 'write';
export type Permissions = Partial<Record<Scope, Level>>;

export interface Identity {
  readonly kind: 'token' | 'classic' | 'installation' | 'app';
  readonly account: Account;
  /** Requests of the same key share one budget. */
  readonly budget: string;
  readonly permissions: Permissions;
  readonly scopes: readonly string[] | null;
  /** Lower-case full names, or all that the account can see. */
  readonly repositories: ReadonlySet<string> | 'all';
}

export interface TokenOptions {
  readonly login?: string;
  /** Fine-grained: what is not named is not allowed. */
  readonly permissions?: Permissions;
  /** Classic: scopes such as `repo`. */
  readonly scopes?: readonly string[];
  readonly repositories?: readonly string[];
}

export interface App {
  readonly id: number;
  readonly slug: string;
  readonly privateKey: string;
  readonly installationId: number;
  readonly account: Account;
  permissions: Permissions;
  suspended: boolean;
  repositories: ReadonlySet<string> | 'all';
}

export interface Auth {
  readonly app: App;
  readonly addToken: (token: string, options?: TokenOptions) => void;
  readonly revoke: (token: string) => void;
  readonly identify: (header: string | undefined, route: Route) => Identity;
  readonly permit: (who: Identity, route: Route, repo: Repo) => void;
  readonly issueToken: (permissions: Permissions | undefined) => {
    token: string;
    expiresAt: number;
  };
  readonly canSee: (who: Identity, repo: Repo) => boolean;
}

const ALL: Permissions = {
  issues: 'write',
  pull_requests: 'write',
  contents: 'write',
  metadata: 'read',
};

// One pair for a whole test run: making one takes a third of a second.
const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

const HOUR_MS = 3_600_000;

export function createAuth(world: World): Auth {
  const tokens = new Map<string, { readonly who: Identity; readonly expiresAt: number }>();
  const app: App = {
    id: 4711,
    slug: 'banto-test',
    privateKey: keys.privateKey,
    installationId: 815,
    account: world.account('banto-test[bot]', 'Bot'),
    permissions: { ...ALL },
    suspended: false,
    repositories: 'all',
  };
  const bad = (message: string) => new Refusal(401, message);

  const appBy = (jwt: string): Identity => {
    const [head = '', claims = '', signature = ''] = jwt.split('.');
    const key = createPublicKey(keys.publicKey);
    const signed = Buffer.from(`${head}.${claims}`);
    const decoded = (() => {
      try {
        const parsed: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString());
        return parsed as { iss?: unknown; iat?: unknown; exp?: unknown };
      } catch {
        throw bad('A JSON web token could not be decoded');
      }
    })();
    if (!verify('RSA-SHA256', signed, key, Buffer.from(signature, 'base64url'))) {
      throw bad('A JSON web token could not be decoded');
    }
    const now = world.now() / 1000;
    if (decoded.iss !== app.id && decoded.iss !== `${app.id}`)
      throw bad('Integration must generate a public key');
    if (typeof decoded.iat !== 'number' || decoded.iat > now + 60) {
      throw bad(
        "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
      );
    }
    if (typeof decoded.exp !== 'number' || decoded.exp <= now) {
      throw bad(
        "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
      );
    }
    if (decoded.exp > now + 660)
      throw bad("'Expiration time' claim ('exp') is too far in the future");
    return {
      kind: 'app',
      account: app.account,
      budget: `app:${app.id}`,
      permissions: {},
      scopes: null,
      repositories: new Set(),
    };
  };

  const canSee: Auth['canSee'] = (who, repo) => {
    // What is taken out of an installation is out of reach of its tokens at once.
    const { repositories } = who.kind === 'installation' ? app : who;
    const listed = repositories === 'all' || repositories.has(fullName(repo).toLowerCase());
    if (!repo.private) return who.kind !== 'installation' || listed;
    if (who.kind === 'installation') return listed;
    if (who.kind === 'classic' && who.scopes?.includes('repo') !== true) return false;
    return listed && hasRole(repo, who.account.login, 'read');
  };

  return {
    app,
    canSee,
    addToken(token, { login = 'banto', permissions, scopes, repositories } = {}) {
      const account = world.account(login);
      const who: Identity = {
        kind: scopes === undefined ? 'token' : 'classic',
        account,
        budget: `user:${account.id}`,
        permissions: permissions ?? ALL,
        scopes: scopes ?? null,
        repositories:
          repositories === undefined
            ? 'all'
            : new Set(repositories.map((name) => name.toLowerCase())),
      };
      tokens.set(token, { who, expiresAt: Number.POSITIVE_INFINITY });
    },
    revoke: (token) => void tokens.delete(token),
    issueToken(permissions) {
      const token = `ghs_${randomBytes(24).toString('base64url')}`;
      const expiresAt = world.stamp() + HOUR_MS;
      const who: Identity = {
        kind: 'installation',
        account: app.account,
        budget: `installation:${app.installationId}`,
        permissions: permissions ?? app.permissions,
        scopes: null,
        repositories: app.repositories,
      };
      tokens.set(token, { who, expiresAt });
      return { token, expiresAt };
    },
    identify(header, route) {
      const token = /^(?:bearer|token) (.+)$/i.exec(header ?? '')?.[1];
      if (token === undefined) throw bad('Requires authentication');
      if (route.auth === 'jwt') {
        if (token.split('.').length !== 3) throw bad('A JSON web token could not be decoded');
        return appBy(token);
      }
      const known = tokens.get(token);
      if (known === undefined || known.expiresAt <= world.now()) throw bad('Bad credentials');
      if (known.who.kind === 'installation' && app.suspended) {
        throw new Refusal(403, 'This installation has been suspended');
      }
      if (route.auth === 'installation' && known.who.kind !== 'installation') {
        throw new Refusal(
          403,
          'You must authenticate with an installation access token in order to list repositories for an installation.',
        );
      }
      return known.who;
    },
    permit(who, route, repo) {
      const reads = route.operation.startsWith('GET ');
      const needs = route.needs ?? ['metadata'];
      if (reads && !repo.private) return;
      if (who.kind === 'classic') {
        const scope = who.scopes?.includes('repo') === true;
        // GitHub hides from a classic token what it has no scope for.
        if (!scope && (repo.private || who.scopes?.includes('public_repo') !== true)) {
          throw new Refusal(404, 'Not Found');
        }
      } else {
        const enough = needs.some((scope) => {
          const has = scope === 'metadata' ? 'read' : who.permissions[scope];
          return has === 'write' || (reads && has === 'read');
        });
        const by = who.kind === 'installation' ? 'integration' : 'personal access token';
        if (!enough) throw new Refusal(403, `Resource not accessible by ${by}`);
      }
      if (!reads && repo.archived) {
        throw new Refusal(403, 'Repository was archived so is read-only.');
      }
      if (reads || who.kind === 'installation') return;
      // Anybody may open and discuss issues; the rest needs a role.
      if (route.notifies === true && roleOf(repo, who.account.login) !== 'none') return;
      const role = needs.includes('contents') ? 'write' : 'triage';
      if (!hasRole(repo, who.account.login, role)) {
        throw new Refusal(403, 'Must have admin rights to Repository.');
      }
    },
  };
}
