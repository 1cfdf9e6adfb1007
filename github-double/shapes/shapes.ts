// The double's state as GitHub words it. Return types come from GitHub's own description, so that a field that
// is missing, misnamed or of another type does not compile.

import type { components } from '@octokit/openapi-types';
import {
  type Account,
  type Comment,
  fullName,
  type Happening,
  hasRole,
  type Item,
  type Label,
  labelsOf,
  type Repo,
} from '../state.ts';
import { createPullShapes, type PullShapes } from './pull-shapes.ts';
import { createRepoShapes, type RepoShapes } from './repo-shapes.ts';

export type Schemas = components['schemas'];

export interface Places {
  /** Where the API is, without a slash at the end. */
  readonly api: string;
  readonly html: string;
}

export interface IssueShapes {
  readonly user: (account: Account) => Schemas['simple-user'];
  readonly label: (repo: Repo, label: Label) => Schemas['label'];
  readonly labels: (repo: Repo, item: Item) => Schemas['label'][];
  readonly issue: (repo: Repo, item: Item) => Schemas['issue'];
  readonly comment: (repo: Repo, comment: Comment) => Schemas['issue-comment'];
  readonly issueEvent: (repo: Repo, item: Item, one: Happening) => Record<string, unknown>;
  readonly association: (repo: Repo, account: Account) => Schemas['author-association'];
}

export type Shapes = IssueShapes & PullShapes & RepoShapes & { readonly places: Places };

export function iso(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}

export function nodeId(kind: string, id: number): string {
  return `${kind}_${Buffer.from(`${kind}${id}`).toString('base64url')}`;
}

function createIssueShapes({ api, html }: Places): IssueShapes {
  const user: IssueShapes['user'] = ({ id, login, type }) => {
    const url = `${api}/users/${encodeURIComponent(login)}`;
    return {
      login,
      id,
      node_id: nodeId('U', id),
      avatar_url: `${html}/avatars/u/${id}?v=4`,
      gravatar_id: '',
      url,
      html_url: `${html}/${encodeURIComponent(login)}`,
      followers_url: `${url}/followers`,
      following_url: `${url}/following{/other_user}`,
      gists_url: `${url}/gists{/gist_id}`,
      starred_url: `${url}/starred{/owner}{/repo}`,
      subscriptions_url: `${url}/subscriptions`,
      organizations_url: `${url}/orgs`,
      repos_url: `${url}/repos`,
      events_url: `${url}/events{/privacy}`,
      received_events_url: `${url}/received_events`,
      type,
      site_admin: false,
    };
  };
  const association: IssueShapes['association'] = (repo, account) => {
    if (repo.owner.id === account.id) return 'OWNER';
    return hasRole(repo, account.login, 'triage') ? 'COLLABORATOR' : 'NONE';
  };
  const label: IssueShapes['label'] = (repo, { id, name, color, description }) => ({
    id,
    node_id: nodeId('LA', id),
    url: `${api}/repos/${fullName(repo)}/labels/${encodeURIComponent(name)}`,
    name,
    color,
    default: false,
    description,
  });
  const labels: IssueShapes['labels'] = (repo, item) =>
    labelsOf(repo, item).map((one) => label(repo, one));
  const issue: IssueShapes['issue'] = (repo, item) => {
    const url = `${api}/repos/${fullName(repo)}/issues/${item.number}`;
    const page = `${html}/${fullName(repo)}/${item.pull ? 'pull' : 'issues'}/${item.number}`;
    const pullUrl = `${api}/repos/${fullName(repo)}/pulls/${item.number}`;
    const open = item.blockedBy.filter((number) => repo.items.get(number)?.state === 'open').length;
    return {
      url,
      repository_url: `${api}/repos/${fullName(repo)}`,
      labels_url: `${url}/labels{/name}`,
      comments_url: `${url}/comments`,
      events_url: `${url}/events`,
      html_url: page,
      id: item.id,
      node_id: nodeId('I', item.id),
      number: item.number,
      title: item.title,
      user: user(item.author),
      labels: labels(repo, item),
      state: item.state,
      locked: item.locked,
      assignee: null,
      assignees: [],
      milestone: null,
      comments: item.comments,
      created_at: iso(item.createdAt),
      updated_at: iso(item.updatedAt),
      closed_at: item.closedAt === null ? null : iso(item.closedAt),
      author_association: association(repo, item.author),
      active_lock_reason: null,
      ...(item.pull === null
        ? {}
        : {
            draft: item.pull.draft,
            pull_request: {
              url: pullUrl,
              html_url: page,
              diff_url: `${page}.diff`,
              patch_url: `${page}.patch`,
              merged_at: item.pull.mergedAt === null ? null : iso(item.pull.mergedAt),
            },
          }),
      body: item.body,
      closed_by: item.closedBy === null ? null : user(item.closedBy),
      performed_via_github_app: null,
      state_reason: item.stateReason,
      sub_issues_summary: { total: 0, completed: 0, percent_completed: 0 },
      issue_dependencies_summary: {
        blocked_by: open,
        total_blocked_by: item.blockedBy.length,
        blocking: 0,
        total_blocking: 0,
      },
    };
  };
  return {
    user,
    label,
    labels,
    issue,
    association,
    comment: (repo, comment) => ({
      url: `${api}/repos/${fullName(repo)}/issues/comments/${comment.id}`,
      html_url: `${html}/${fullName(repo)}/issues/${comment.number}#issuecomment-${comment.id}`,
      issue_url: `${api}/repos/${fullName(repo)}/issues/${comment.number}`,
      id: comment.id,
      node_id: nodeId('IC', comment.id),
      user: user(comment.author),
      created_at: iso(comment.createdAt),
      updated_at: iso(comment.updatedAt),
      author_association: association(repo, comment.author),
      body: comment.body,
      performed_via_github_app: null,
    }),
    issueEvent(repo, item, one) {
      if (one.event === 'cross-referenced' && one.source !== undefined) {
        const from = one.source.repo.items.get(one.source.number);
        const source = {
          type: 'issue',
          ...(from === undefined ? {} : { issue: issue(one.source.repo, from) }),
        };
        return {
          event: 'cross-referenced',
          actor: user(one.actor),
          created_at: iso(one.at),
          updated_at: iso(one.at),
          source,
        } satisfies Schemas['timeline-cross-referenced-event'];
      }
      const common = {
        id: one.id,
        node_id: nodeId('E', one.id),
        url: `${api}/repos/${fullName(repo)}/issues/events/${one.id}`,
        actor: user(one.actor),
        event: one.event,
        commit_id: one.commit ?? null,
        commit_url: one.commit ? `${api}/repos/${fullName(repo)}/commits/${one.commit}` : null,
        created_at: iso(one.at),
        performed_via_github_app: null,
      };
      if (one.label !== undefined) {
        const { name, color } = one.label;
        return { ...common, label: { name, color } } satisfies Schemas['labeled-issue-event'];
      }
      if (one.rename !== undefined) {
        return { ...common, rename: one.rename } satisfies Schemas['renamed-issue-event'];
      }
      if (one.event === 'locked') {
        return { ...common, lock_reason: null } satisfies Schemas['locked-issue-event'];
      }
      if (one.event !== 'closed') return common satisfies Schemas['state-change-issue-event'];
      return {
        ...common,
        state_reason: item.stateReason,
      } satisfies Schemas['state-change-issue-event'];
    },
  };
}

export function createShapes(places: Places): Shapes {
  const issues = createIssueShapes(places);
  const repos = createRepoShapes(places, issues);
  return { places, ...issues, ...repos, ...createPullShapes(places, issues, repos) };
}
