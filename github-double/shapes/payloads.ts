// What a delivery says. Webhooks word things a little differently from the REST answers, and carry only what
// GitHub's published examples carry.

import type { Told } from '../acts/acts.ts';
import type { App } from '../server/auth.ts';
import { type Account, fullName, type Item, type Repo } from '../state.ts';
import { iso, nodeId, type Shapes } from './shapes.ts';

export type Payload = Readonly<Record<string, unknown>>;

export interface Payloads {
  readonly of: (told: Told) => Payload;
  readonly ping: (repo: Repo, hook: { readonly id: number; readonly url: string }) => Payload;
  readonly installation: (action: string, app: App, repos: readonly Repo[], by: Account) => Payload;
  readonly installationRepositories: (
    action: 'added' | 'removed',
    app: App,
    repos: readonly Repo[],
    by: Account,
  ) => Payload;
}

export function createPayloads(shapes: Shapes, stamp: () => number): Payloads {
  const { api } = shapes.places;

  const issue = (repo: Repo, item: Item) => {
    const {
      closed_by: _by,
      state_reason: _reason,
      sub_issues_summary: _subs,
      issue_dependencies_summary: _dependencies,
      ...kept
    } = shapes.issue(repo, item);
    return { ...kept, timeline_url: `${kept.url}/timeline` };
  };
  const repository = (repo: Repo) => {
    const { allow_forking: _, ...kept } = shapes.repository(repo);
    return kept;
  };
  // The simple shape of a pull request is what reviews carry.
  const pull = (repo: Repo, item: Item, whole: boolean) =>
    whole ? shapes.pull(repo, item) : shapes.pullSimple(repo, item);

  const changes = ({ changes }: Told): Payload => {
    if (changes === undefined) return {};
    const shaped = { ...changes };
    for (const side of ['old', 'new']) {
      const other = changes[`${side}_repository`] as Repo | undefined;
      const item = changes[`${side}_issue`] as Item | undefined;
      if (other === undefined || item === undefined) continue;
      shaped[`${side}_issue`] = issue(other, item);
      shaped[`${side}_repository`] = repository(other);
    }
    return { changes: shaped };
  };

  const push = (told: Told): Payload => {
    const { repo, actor } = told;
    const { ref = '', before = '', after = '' } = told.push ?? {};
    const none = '0'.repeat(40);
    const known = repository(repo);
    const seconds = (at: number) => Math.floor(at / 1000);
    const person = { name: actor.login, email: `${actor.login}@users.noreply.github.com` };
    const commit = {
      id: after,
      tree_id: after,
      distinct: true,
      message: 'A commit',
      timestamp: iso(stamp()),
      url: `${known.html_url}/commit/${after}`,
      author: { ...person, username: actor.login },
      committer: { ...person, username: actor.login },
      added: [],
      removed: [],
      modified: ['README.md'],
    };
    // Creating a branch on a commit that is already there pushes no commit.
    const brought = before !== none && after !== none;
    return {
      ref,
      before,
      after,
      repository: {
        ...known,
        created_at: seconds(repo.createdAt),
        pushed_at: seconds(repo.pushedAt),
        stargazers: 0,
        master_branch: repo.defaultBranch,
      },
      pusher: person,
      sender: shapes.user(actor),
      created: before === none,
      deleted: after === none,
      forced: false,
      base_ref: null,
      compare: `${known.html_url}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
      commits: brought ? [commit] : [],
      head_commit: after === none ? null : commit,
    };
  };

  const subject = (told: Told): Payload => {
    const { event, repo, item, label, comment, review } = told;
    const labelled = label === undefined ? {} : { label: shapes.label(repo, label) };
    if (item === undefined) return labelled;
    if (event === 'issue_comment' && comment !== undefined) {
      return { issue: issue(repo, item), comment: shapes.comment(repo, comment) };
    }
    if (event === 'pull_request_review' && review !== undefined) {
      const { state, ...said } = shapes.review(repo, item, review);
      const submitted = {
        ...said,
        body: said.body === '' ? null : said.body,
        state: state.toLowerCase(),
      };
      return { review: submitted, pull_request: pull(repo, item, false) };
    }
    if (event === 'pull_request') {
      return { number: item.number, pull_request: pull(repo, item, true), ...labelled };
    }
    return { issue: issue(repo, item), ...labelled };
  };

  const short = (repos: readonly Repo[]) =>
    repos.map((repo) => ({
      id: repo.id,
      node_id: nodeId('R', repo.id),
      name: repo.name,
      full_name: fullName(repo),
      private: repo.private,
    }));

  const installation = (app: App, by: Account, suspended: boolean) => ({
    id: app.installationId,
    account: shapes.user(by),
    repository_selection: app.repositories === 'all' ? 'all' : 'selected',
    access_tokens_url: `${api}/app/installations/${app.installationId}/access_tokens`,
    repositories_url: `${api}/installation/repositories`,
    html_url: `${shapes.places.html}/settings/installations/${app.installationId}`,
    app_id: app.id,
    app_slug: app.slug,
    target_id: by.id,
    target_type: by.type,
    permissions: app.permissions,
    events: ['issues', 'pull_request'],
    created_at: iso(stamp()),
    updated_at: iso(stamp()),
    single_file_name: null,
    suspended_by: suspended ? shapes.user(by) : null,
    suspended_at: suspended ? iso(stamp()) : null,
  });

  // In this one delivery GitHub dates the installation in seconds.
  const shortInstallation = (app: App, by: Account) => {
    const { app_slug: _, ...kept } = installation(app, by, false);
    const at = Math.floor(stamp() / 1000);
    return { ...kept, created_at: at, updated_at: at };
  };

  return {
    of(told) {
      if (told.event === 'push') return push(told);
      const moved = told.action === 'synchronize' ? told.changes : changes(told);
      return {
        action: told.action,
        ...subject(told),
        ...moved,
        repository: repository(told.repo),
        sender: shapes.user(told.actor),
      };
    },
    ping: (repo, hook) => ({
      zen: 'Keep it logically awesome.',
      hook_id: hook.id,
      hook: {
        type: 'Repository',
        id: hook.id,
        name: 'web',
        active: true,
        events: ['*'],
        config: { content_type: 'json', insecure_ssl: '0', secret: '********', url: hook.url },
        updated_at: iso(stamp()),
        created_at: iso(stamp()),
        url: `${api}/repos/${fullName(repo)}/hooks/${hook.id}`,
        test_url: `${api}/repos/${fullName(repo)}/hooks/${hook.id}/test`,
        ping_url: `${api}/repos/${fullName(repo)}/hooks/${hook.id}/pings`,
        last_response: { code: null, status: 'unused', message: null },
      },
      repository: repository(repo),
      sender: shapes.user(repo.owner),
    }),
    installation: (action, app, repos, by) => ({
      action,
      installation: installation(app, by, action === 'suspend'),
      ...(action === 'suspend' || action === 'unsuspend' ? {} : { repositories: short(repos) }),
      sender: shapes.user(by),
    }),
    installationRepositories: (action, app, repos, by) => ({
      action,
      installation: shortInstallation(app, by),
      repository_selection: 'selected',
      repositories_added: action === 'added' ? short(repos) : [],
      repositories_removed: action === 'removed' ? short(repos) : [],
      sender: shapes.user(by),
    }),
  };
}
