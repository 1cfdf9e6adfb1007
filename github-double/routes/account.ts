// The caller's own things: user, App, installations, budget; and the repository itself.

import type { Auth, Permissions } from '../server/auth.ts';
import type { Limits } from '../server/limits.ts';
import { iso, nodeId, type Schemas } from '../shapes/shapes.ts';
import { fullName, type Repo, roleOf } from '../state.ts';
import { type Call, page, Refusal, type Route } from './route.ts';

const APP_PERMISSIONS = (permissions: Permissions): Schemas['app-permissions'] => ({
  ...permissions,
  metadata: 'read',
});

export function accountRoutes(auth: Auth, limits: Limits): readonly Route[] {
  const { app } = auth;

  const installation = (call: Call): Schemas['installation'] => {
    const owner = [...call.world.repos.values()][0]?.owner ?? app.account;
    return {
      id: app.installationId,
      account: call.shapes.user(owner),
      access_tokens_url: `${call.api}/app/installations/${app.installationId}/access_tokens`,
      repositories_url: `${call.api}/installation/repositories`,
      html_url: `${call.shapes.places.html}/settings/installations/${app.installationId}`,
      app_id: app.id,
      app_slug: app.slug,
      target_id: owner.id,
      target_type: owner.type,
      permissions: APP_PERMISSIONS(app.permissions),
      events: ['issues', 'pull_request'],
      created_at: iso(call.world.stamp()),
      updated_at: iso(call.world.stamp()),
      single_file_name: null,
      repository_selection: app.repositories === 'all' ? 'all' : 'selected',
      suspended_by: null,
      suspended_at: app.suspended ? iso(call.world.stamp()) : null,
    };
  };

  return [
    {
      operation: 'GET /rate_limit',
      handle(call) {
        const core = limits.overview(call.who);
        const search = { limit: 30, remaining: 30, reset: core.reset, used: 0 };
        const body: Schemas['rate-limit-overview'] = { resources: { core, search }, rate: core };
        return { status: 200, body };
      },
    },
    {
      operation: 'GET /user',
      handle(call) {
        const { account, kind } = call.who;
        if (kind === 'installation')
          throw new Refusal(403, 'Resource not accessible by integration');
        const at = iso(call.world.stamp());
        const body: Schemas['public-user'] = {
          ...call.shapes.user(account),
          name: account.login,
          company: null,
          blog: '',
          location: null,
          email: null,
          hireable: null,
          bio: null,
          public_repos: 0,
          public_gists: 0,
          followers: 0,
          following: 0,
          created_at: at,
          updated_at: at,
        };
        return { status: 200, body };
      },
    },
    {
      operation: 'GET /app',
      auth: 'jwt',
      handle(call) {
        const at = iso(call.world.stamp());
        const body: Schemas['integration'] = {
          id: app.id,
          slug: app.slug,
          node_id: nodeId('A', app.id),
          owner: call.shapes.user(app.account),
          name: app.slug,
          description: null,
          external_url: 'https://example.com',
          html_url: `${call.shapes.places.html}/apps/${app.slug}`,
          created_at: at,
          updated_at: at,
          permissions: Object.fromEntries(Object.entries(app.permissions)),
          events: ['issues', 'pull_request'],
        };
        return { status: 200, body };
      },
    },
    {
      operation: 'GET /app/installations/{installation_id}',
      auth: 'jwt',
      handle(call) {
        if (Number(call.params['installation_id']) !== app.installationId) {
          throw new Refusal(404, 'Not Found');
        }
        return { status: 200, body: installation(call) };
      },
    },
    {
      operation: 'POST /app/installations/{installation_id}/access_tokens',
      auth: 'jwt',
      handle(call) {
        if (Number(call.params['installation_id']) !== app.installationId) {
          throw new Refusal(404, 'Not Found');
        }
        if (app.suspended) throw new Refusal(403, 'This installation has been suspended');
        const asked = (call.body as { permissions?: Permissions } | null)?.permissions;
        const { token, expiresAt } = auth.issueToken(asked);
        const body: Schemas['installation-token'] = {
          token,
          expires_at: iso(expiresAt),
          permissions: APP_PERMISSIONS(asked ?? app.permissions),
          repository_selection: app.repositories === 'all' ? 'all' : 'selected',
        };
        return { status: 201, body };
      },
    },
    {
      operation: 'GET /installation/repositories',
      auth: 'installation',
      handle(call) {
        const repos = [...call.world.repos.values()].filter((repo) => auth.canSee(call.who, repo));
        const answer = page(call, repos, (repo) => call.shapes.repository(repo));
        return { ...answer, body: { total_count: repos.length, repositories: answer.body } };
      },
    },
    {
      operation: 'GET /repos/{owner}/{repo}',
      needs: ['metadata'],
      handle: (call, repo) => ({ status: 200, body: shown(call, repo) }),
    },
    {
      operation: 'GET /repos/{owner}/{repo}/installation',
      auth: 'jwt',
      handle: (call) => ({ status: 200, body: installation(call) }),
    },
    {
      operation: 'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
      needs: ['metadata'],
      handle(call, repo) {
        const login = call.params['username'] ?? '';
        const role = roleOf(repo, login);
        // The old word knows neither triage nor maintain.
        const permission = role === 'triage' ? 'read' : role;
        const account = call.world.account(login);
        const rights = shown(call, repo, login).permissions;
        const body: Schemas['repository-collaborator-permission'] = {
          permission,
          role_name: role,
          user: {
            ...call.shapes.user(account),
            role_name: role,
            permissions: {
              pull: rights?.pull ?? false,
              triage: rights?.triage ?? false,
              push: rights?.push ?? false,
              maintain: rights?.maintain ?? false,
              admin: rights?.admin ?? false,
            },
          },
        };
        return { status: 200, body };
      },
    },
  ];
}

function shown(call: Call, repo: Repo, login = call.who.account.login): Schemas['full-repository'] {
  const mine = call.who.kind === 'installation' && login === call.who.account.login;
  const may = call.who.permissions.contents === 'write' ? 'write' : 'read';
  return call.shapes.fullRepository(repo, mine ? may : roleOf(repo, login));
}

/** `/repositories/815/issues/7`, where redirects lead, means `/repos/owner/name/issues/7`. */
export function byId(repos: Iterable<Repo>, path: string): string {
  const match = /^\/repositories\/(\d+)(\/.*)?$/.exec(path);
  if (match === null) return path;
  const repo = [...repos].find((one) => one.id === Number(match[1]));
  return repo === undefined ? path : `/repos/${fullName(repo)}${match[2] ?? ''}`;
}
