// Repositories, branches and refs as GitHub words them.

import { fullName, type Repo, type Role } from '../state.ts';
import { type IssueShapes, iso, nodeId, type Places, type Schemas } from './shapes.ts';

export interface RepoShapes {
  /** As listings and pull requests show it. */
  readonly repository: (repo: Repo) => Schemas['repository'];
  readonly fullRepository: (repo: Repo, role: Role) => Schemas['full-repository'];
  readonly ref: (repo: Repo, ref: string, sha: string) => Schemas['git-ref'];
  readonly commit: (repo: Repo, sha: string) => Schemas['commit'];
  readonly branch: (repo: Repo, name: string, sha: string) => Schemas['branch-with-protection'];
}

export function createRepoShapes({ api, html }: Places, { user }: IssueShapes): RepoShapes {
  const addresses = (repo: Repo) => {
    const url = `${api}/repos/${fullName(repo)}`;
    return {
      url,
      archive_url: `${url}/{archive_format}{/ref}`,
      assignees_url: `${url}/assignees{/user}`,
      blobs_url: `${url}/git/blobs{/sha}`,
      branches_url: `${url}/branches{/branch}`,
      collaborators_url: `${url}/collaborators{/collaborator}`,
      comments_url: `${url}/comments{/number}`,
      commits_url: `${url}/commits{/sha}`,
      compare_url: `${url}/compare/{base}...{head}`,
      contents_url: `${url}/contents/{+path}`,
      contributors_url: `${url}/contributors`,
      deployments_url: `${url}/deployments`,
      downloads_url: `${url}/downloads`,
      events_url: `${url}/events`,
      forks_url: `${url}/forks`,
      git_commits_url: `${url}/git/commits{/sha}`,
      git_refs_url: `${url}/git/refs{/sha}`,
      git_tags_url: `${url}/git/tags{/sha}`,
      hooks_url: `${url}/hooks`,
      issue_comment_url: `${url}/issues/comments{/number}`,
      issue_events_url: `${url}/issues/events{/number}`,
      issues_url: `${url}/issues{/number}`,
      keys_url: `${url}/keys{/key_id}`,
      labels_url: `${url}/labels{/name}`,
      languages_url: `${url}/languages`,
      merges_url: `${url}/merges`,
      milestones_url: `${url}/milestones{/number}`,
      notifications_url: `${url}/notifications{?since,all,participating}`,
      pulls_url: `${url}/pulls{/number}`,
      releases_url: `${url}/releases{/id}`,
      stargazers_url: `${url}/stargazers`,
      statuses_url: `${url}/statuses/{sha}`,
      subscribers_url: `${url}/subscribers`,
      subscription_url: `${url}/subscription`,
      tags_url: `${url}/tags`,
      teams_url: `${url}/teams`,
      trees_url: `${url}/git/trees{/sha}`,
    };
  };
  const repository: RepoShapes['repository'] = (repo) => {
    const open = repo.openItems;
    const page = `${html}/${fullName(repo)}`;
    return {
      id: repo.id,
      node_id: nodeId('R', repo.id),
      name: repo.name,
      full_name: fullName(repo),
      private: repo.private,
      owner: user(repo.owner),
      html_url: page,
      description: null,
      fork: false,
      ...addresses(repo),
      clone_url: `${page}.git`,
      git_url: `${page.replace(/^https?/, 'git')}.git`,
      ssh_url: `git@${new URL(html).hostname}:${fullName(repo)}.git`,
      svn_url: page,
      mirror_url: null,
      homepage: null,
      language: null,
      forks: 0,
      forks_count: 0,
      stargazers_count: 0,
      watchers: 0,
      watchers_count: 0,
      size: 1,
      default_branch: repo.defaultBranch,
      open_issues: open,
      open_issues_count: open,
      topics: [],
      has_issues: repo.hasIssues,
      has_projects: true,
      has_wiki: true,
      has_pages: false,
      has_downloads: true,
      archived: repo.archived,
      disabled: false,
      visibility: repo.private ? 'private' : 'public',
      license: null,
      allow_forking: true,
      is_template: false,
      web_commit_signoff_required: false,
      pushed_at: iso(repo.pushedAt),
      created_at: iso(repo.createdAt),
      updated_at: iso(repo.pushedAt),
    };
  };
  const commit: RepoShapes['commit'] = (repo, sha) => {
    const url = `${api}/repos/${fullName(repo)}`;
    const page = `${html}/${fullName(repo)}`;
    const { author, at, parent } = repo.commits.get(sha) ?? {
      author: repo.owner,
      at: repo.pushedAt,
      parent: null,
    };
    const { login } = author;
    const person = { name: login, email: `${login}@users.noreply.github.com`, date: iso(at) };
    return {
      sha,
      node_id: `C_${sha}`,
      url: `${url}/commits/${sha}`,
      html_url: `${page}/commit/${sha}`,
      comments_url: `${url}/commits/${sha}/comments`,
      commit: {
        author: person,
        committer: person,
        message: 'A commit',
        tree: { sha, url: `${url}/git/trees/${sha}` },
        url: `${url}/git/commits/${sha}`,
        comment_count: 0,
      },
      author: user(author),
      committer: user(author),
      parents:
        parent === null
          ? []
          : [
              {
                sha: parent,
                url: `${url}/commits/${parent}`,
                html_url: `${page}/commit/${parent}`,
              },
            ],
    };
  };
  return {
    repository,
    fullRepository(repo, role) {
      const { has_downloads: _, ...known } = repository(repo);
      const { license: __, ...rest } = known;
      return {
        ...rest,
        license: null,
        has_discussions: false,
        created_at: iso(repo.createdAt),
        updated_at: iso(repo.pushedAt),
        pushed_at: iso(repo.pushedAt),
        network_count: 0,
        subscribers_count: 0,
        permissions: {
          admin: role === 'admin',
          maintain: role === 'admin',
          push: role === 'admin' || role === 'write',
          triage: role !== 'read' && role !== 'none',
          pull: role !== 'none',
        },
      };
    },
    ref: (repo, ref, sha) => ({
      ref: `refs/${ref}`,
      node_id: `REF_${Buffer.from(ref).toString('base64url')}`,
      url: `${api}/repos/${fullName(repo)}/git/refs/${ref}`,
      object: { sha, type: 'commit', url: `${api}/repos/${fullName(repo)}/git/commits/${sha}` },
    }),
    commit,
    branch(repo, name, sha) {
      const url = `${api}/repos/${fullName(repo)}`;
      const page = `${html}/${fullName(repo)}`;
      return {
        name,
        commit: commit(repo, sha),
        _links: { self: `${url}/branches/${name}`, html: `${page}/tree/${name}` },
        protected: false,
        protection: {
          enabled: false,
          required_status_checks: { enforcement_level: 'off', contexts: [], checks: [] },
        },
        protection_url: `${url}/branches/${name}/protection`,
      };
    },
  };
}
