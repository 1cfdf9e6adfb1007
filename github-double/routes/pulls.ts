// Pull requests and their reviews, and the one GraphQL question that REST cannot answer.

import { closes, pullOf } from '../acts/pull-acts.ts';
import { type Item, itemsAt, type Repo } from '../state.ts';
import { itemOf } from './issues.ts';
import {
  type Answer,
  type Call,
  fields,
  invalid,
  page,
  Refusal,
  type Route,
  text,
} from './route.ts';

const base = '/repos/{owner}/{repo}/pulls';
const one = `${base}/{pull_number}`;
const needs = ['pull_requests'] as const;

function pullItem(call: Call, repo: Repo): Item {
  const item = itemOf(call, repo, 'pull_number');
  if (item.pull === null) throw new Refusal(404, 'Not Found');
  return item;
}

function listed(call: Call, repo: Repo): Item[] {
  const state = call.query.get('state') ?? 'open';
  const head = call.query.get('head');
  const target = call.query.get('base');
  const updated = call.query.get('sort') === 'updated';
  // GitHub's default: newest first by creation, but oldest first where another order is asked for.
  const way = (call.query.get('direction') ?? (updated ? 'asc' : 'desc')) === 'asc' ? 1 : -1;
  const items = call.staleAt === null ? [...repo.items.values()] : itemsAt(repo, call.staleAt);
  return items
    .filter(
      (item) =>
        item.pull !== null &&
        (state === 'all' || item.state === state) &&
        // A head without its owner is ignored, as GitHub does.
        (head?.includes(':') !== true || head === `${repo.owner.login}:${item.pull.head}`) &&
        (target === null || target === item.pull.base),
    )
    .sort((a, b) => way * ((updated ? a.updatedAt - b.updatedAt : 0) || a.number - b.number));
}

function create(call: Call, repo: Repo): Answer {
  const { title, body, head, base: target, draft } = fields(call);
  const branch = text(head, 'PullRequest', 'head').split(':').at(-1) ?? '';
  const into = text(target, 'PullRequest', 'base');
  if (!repo.refs.has(`heads/${branch}`)) throw invalid('PullRequest', 'head', 'invalid');
  if (!repo.refs.has(`heads/${into}`)) throw invalid('PullRequest', 'base', 'invalid');
  const rival = [...repo.items.values()].find(
    (item) => item.state === 'open' && item.pull?.head === branch && item.pull.base === into,
  );
  if (rival !== undefined) {
    const message = `A pull request already exists for ${repo.owner.login}:${branch}.`;
    throw new Refusal(422, 'Validation Failed', {
      errors: [{ resource: 'PullRequest', code: 'custom', message }],
    });
  }
  const item = call.acts.openPull(repo, call.who.account, {
    title: text(title, 'PullRequest', 'title'),
    body: typeof body === 'string' ? body : null,
    head: branch,
    base: into,
    draft: draft === true,
  });
  return { status: 201, body: call.shapes.pull(repo, item) };
}

function update(call: Call, repo: Repo): Answer {
  const { number } = pullItem(call, repo);
  const { title, body, state, base: target } = fields(call);
  const by = call.who.account;
  if (title !== undefined || body !== undefined) {
    call.acts.edit(repo, by, number, {
      ...(title === undefined ? {} : { title: text(title, 'PullRequest', 'title') }),
      ...(body === undefined ? {} : { body: body as string | null }),
    });
  }
  if (target !== undefined) call.acts.rebase(repo, by, number, text(target, 'PullRequest', 'base'));
  if (state === 'closed') call.acts.close(repo, by, number);
  if (state === 'open') call.acts.reopen(repo, by, number);
  return { status: 200, body: call.shapes.pull(repo, pullItem(call, repo)) };
}

const VERDICTS = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
} as const;

function review(call: Call, repo: Repo): Answer {
  const item = pullItem(call, repo);
  const { event, body, comments } = fields(call);
  const verdict = VERDICTS[event as keyof typeof VERDICTS];
  if (verdict === undefined) throw invalid('PullRequestReview', 'event', 'invalid', event);
  const own = item.author.id === call.who.account.id && verdict !== 'COMMENTED';
  if (own) {
    const deed = verdict === 'APPROVED' ? 'approve' : 'request changes on';
    throw new Refusal(422, 'Unprocessable Entity', {
      errors: [`Can not ${deed} your own pull request`],
    });
  }
  if (verdict !== 'APPROVED') text(body, 'PullRequestReview', 'body');
  const made = call.acts.review(repo, call.who.account, item.number, {
    verdict,
    body: typeof body === 'string' ? body : '',
    comments: (comments ?? []) as { path: string; line: number; body: string }[],
  });
  return { status: 200, body: call.shapes.review(repo, pullItem(call, repo), made) };
}

export const pullRoutes: readonly Route[] = [
  {
    operation: `GET ${base}`,
    needs,
    handle: (call, repo) =>
      page(call, listed(call, repo), (item) => call.shapes.pullSimple(repo, item)),
  },
  { operation: `POST ${base}`, needs, notifies: true, handle: create },
  {
    operation: `GET ${one}`,
    needs,
    handle: (call, repo) => ({
      status: 200,
      body: call.shapes.pull(repo, pullItem(call, repo)),
    }),
  },
  { operation: `PATCH ${one}`, needs, handle: update },
  {
    operation: `GET ${one}/comments`,
    needs,
    handle(call, repo) {
      const item = pullItem(call, repo);
      return page(call, pullOf(item).reviewComments, (comment) =>
        call.shapes.reviewComment(repo, item, comment),
      );
    },
  },
  {
    operation: `GET ${one}/reviews`,
    needs,
    handle(call, repo) {
      const item = pullItem(call, repo);
      return page(call, pullOf(item).reviews, (one) => call.shapes.review(repo, item, one));
    },
  },
  { operation: `POST ${one}/reviews`, needs, notifies: true, handle: review },
];

/** When the text of an issue was last changed after it was written; REST does not say. */
function lastEdited(repo: Repo, number: number): Answer {
  const versions = repo.past.get(number) ?? [];
  const edit = versions.findLast(
    ({ item }, at) => at > 0 && item !== null && item.body !== versions[at - 1]?.item?.body,
  );
  const at = edit?.item?.updatedAt;
  const lastEditedAt = at === undefined ? null : new Date(at).toISOString();
  const item = repo.items.get(number);
  const issue =
    item === undefined ? null : { lastEditedAt, title: item.title, body: item.body ?? '' };
  return { status: 200, body: { data: { repository: { issue } } } };
}

/** Answers the two questions that REST cannot: which issues a pull request closes, when an issue was edited. */
export function closingIssues(call: Call, repo: Repo): Answer {
  const { query, variables } = fields(call);
  if (String(query).includes('lastEditedAt')) {
    return lastEdited(repo, Number((variables as { number?: unknown } | undefined)?.number));
  }
  if (!String(query).includes('closingIssuesReferences')) {
    return {
      status: 200,
      body: { errors: [{ message: 'The double knows only closingIssuesReferences' }] },
    };
  }
  const number = Number((variables as { number?: unknown } | undefined)?.number);
  const item = repo.items.get(number);
  if (item === undefined || item.pull === null) {
    const message = `Could not resolve to a PullRequest with the number of ${number}.`;
    const errors = [{ type: 'NOT_FOUND', path: ['repository', 'pullRequest'], message }];
    return { status: 200, body: { data: { repository: { pullRequest: null } }, errors } };
  }
  const nodes = closes(repo, item).map((number) => ({
    number,
    repository: { nameWithOwner: `${repo.owner.login}/${repo.name}` },
  }));
  const closingIssuesReferences = { totalCount: nodes.length, nodes };
  return {
    status: 200,
    body: { data: { repository: { pullRequest: { number, closingIssuesReferences } } } },
  };
}
