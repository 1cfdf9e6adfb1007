// Issues: listings, one issue, its timeline and what blocks it.

import { type Item, itemsAt, labelNamed, type Repo } from '../state.ts';
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

const base = '/repos/{owner}/{repo}/issues';
const one = `${base}/{issue_number}`;

/** The item a path speaks of; gone, moved and switched off as GitHub answers them. */
export function itemOf(call: Call, repo: Repo, name = 'issue_number'): Item {
  const number = Number(call.params[name]);
  const item = repo.items.get(number);
  const gone = repo.gone.get(number);
  if (gone === 'deleted') throw new Refusal(410, 'This issue was deleted');
  if (gone !== undefined) {
    const tail = call.target.pathname.split(`/issues/${number}`)[1] ?? '';
    const url = `${call.api}/repositories/${gone.repo.id}/issues/${gone.number}${tail}`;
    throw new Moved(url);
  }
  if (item === undefined) throw new Refusal(404, 'Not Found');
  if (!repo.hasIssues && item.pull === null) {
    throw new Refusal(410, 'Issues are disabled for this repo');
  }
  return item;
}

export class Moved extends Refusal {
  readonly location: string;
  constructor(url: string) {
    super(301, 'Moved Permanently', { url });
    this.location = url;
  }
}

type Sorted = { version: number; lists: Map<string, readonly Item[]> };
const remembered = new WeakMap<Repo, Sorted>();

const ORDER: Readonly<Record<string, (item: Item) => number>> = {
  created: (item) => item.createdAt,
  updated: (item) => item.updatedAt,
  comments: (item) => item.comments,
};

function sorted(call: Call, repo: Repo): readonly Item[] {
  const get = (name: string) => call.query.get(name);
  const state = get('state') ?? 'open';
  const since = get('since');
  const order = ORDER[get('sort') ?? 'created'];
  if (!['open', 'closed', 'all'].includes(state)) throw invalid('Issue', 'state', 'invalid');
  if (order === undefined) throw invalid('Issue', 'sort', 'invalid');
  if (since !== null && Number.isNaN(Date.parse(since))) throw invalid('Issue', 'since', 'invalid');
  const way = get('direction') === 'asc' ? 1 : -1;
  const wanted = (get('labels') ?? '').split(',').filter((name) => name !== '');
  const ids = wanted.map((name) => labelNamed(repo, name)?.id ?? -1);

  const select = (items: Iterable<Item>) =>
    [...items]
      .filter(
        (item) =>
          (state === 'all' || item.state === state) &&
          (since === null || item.updatedAt >= Date.parse(since)) &&
          (repo.hasIssues || item.pull !== null) &&
          ids.every((id) => item.labels.includes(id)),
      )
      .sort((a, b) => way * (order(a) - order(b) || a.number - b.number));

  if (call.staleAt !== null) return select(itemsAt(repo, call.staleAt));
  // Walking the pages of 50,000 issues must not sort them 500 times.
  let cache = remembered.get(repo);
  if (cache?.version !== repo.version) {
    cache = { version: repo.version, lists: new Map() };
    remembered.set(repo, cache);
  }
  const key = JSON.stringify([state, since, get('sort'), way, ids]);
  const list = cache.lists.get(key) ?? select(repo.items.values());
  cache.lists.set(key, list);
  return list;
}

function names(value: unknown): string[] {
  if (!Array.isArray(value)) throw invalid('Issue', 'labels', 'invalid');
  return value.map((label: unknown) =>
    text(
      typeof label === 'string' ? label : (label as { name?: unknown } | null)?.name,
      'Label',
      'name',
    ),
  );
}

function create(call: Call, repo: Repo): Answer {
  if (!repo.hasIssues) throw new Refusal(410, 'Issues are disabled for this repo');
  const { title, body, labels } = fields(call);
  const item = call.acts.openIssue(repo, call.who.account, {
    title: text(title, 'Issue', 'title'),
    body: typeof body === 'string' ? body : null,
    labels: labels === undefined ? [] : names(labels),
  });
  return { status: 201, body: call.shapes.issue(repo, item) };
}

function update(call: Call, repo: Repo): Answer {
  const { number } = itemOf(call, repo);
  const { title, body, state, state_reason, labels } = fields(call);
  const by = call.who.account;
  if (state !== undefined && state !== 'open' && state !== 'closed') {
    throw invalid('Issue', 'state', 'invalid', state);
  }
  if (title !== undefined || body !== undefined) {
    call.acts.edit(repo, by, number, {
      ...(title === undefined ? {} : { title: text(title, 'Issue', 'title') }),
      ...(body === undefined ? {} : { body: body as string | null }),
    });
  }
  if (labels !== undefined) replaceLabels(call, repo, number, names(labels));
  if (state === 'open') call.acts.reopen(repo, by, number);
  if (state === 'closed') {
    call.acts.close(repo, by, number, state_reason === 'not_planned' ? 'not_planned' : 'completed');
  }
  return { status: 200, body: call.shapes.issue(repo, itemOf(call, repo)) };
}

export function replaceLabels(
  call: Call,
  repo: Repo,
  number: number,
  wanted: readonly string[],
): Item {
  const keep = new Set(wanted.map((name) => name.toLowerCase()));
  const have = itemOf(call, repo).labels.flatMap((id) => repo.labels.get(id)?.name ?? []);
  const drop = have.filter((name) => !keep.has(name.toLowerCase()));
  call.acts.unlabel(repo, call.who.account, number, drop);
  return call.acts.label(repo, call.who.account, number, wanted);
}

function timeline(call: Call, repo: Repo): Answer {
  const item = itemOf(call, repo);
  const comments = [...repo.comments.values()].filter((comment) => comment.number === item.number);
  const entries = [
    ...(repo.timeline.get(item.number) ?? []).map((happening) => ({
      at: happening.at,
      body: call.shapes.issueEvent(repo, item, happening),
    })),
    ...comments.map((comment) => ({
      at: comment.createdAt,
      body: {
        ...call.shapes.comment(repo, comment),
        author_association: call.shapes.association(repo, comment.author),
        event: 'commented',
        actor: call.shapes.user(comment.author),
      },
    })),
    ...(item.pull?.reviews ?? []).map((review) => ({
      at: review.submittedAt,
      body: {
        ...call.shapes.review(repo, item, review),
        event: 'reviewed',
        state: review.state.toLowerCase(),
      },
    })),
  ];
  return page(
    call,
    entries.sort((a, b) => a.at - b.at),
    (entry) => entry.body,
  );
}

export const issueRoutes: readonly Route[] = [
  {
    operation: `GET ${base}`,
    needs: ['issues', 'pull_requests'],
    handle: (call, repo) => page(call, sorted(call, repo), (item) => call.shapes.issue(repo, item)),
  },
  { operation: `POST ${base}`, needs: ['issues'], notifies: true, handle: create },
  {
    operation: `GET ${one}`,
    needs: ['issues', 'pull_requests'],
    handle(call, repo) {
      const item = itemOf(call, repo);
      const headers = { 'last-modified': new Date(item.updatedAt).toUTCString() };
      return { status: 200, body: call.shapes.issue(repo, item), headers };
    },
  },
  { operation: `PATCH ${one}`, needs: ['issues', 'pull_requests'], handle: update },
  { operation: `GET ${one}/timeline`, needs: ['issues', 'pull_requests'], handle: timeline },
  {
    operation: `GET ${one}/events`,
    needs: ['issues', 'pull_requests'],
    handle(call, repo) {
      const item = itemOf(call, repo);
      const events = repo.timeline.get(item.number) ?? [];
      const shown = events.filter((happening) => happening.event !== 'cross-referenced');
      return page(call, shown, (happening) => call.shapes.issueEvent(repo, item, happening));
    },
  },
  {
    operation: `GET ${one}/dependencies/blocked_by`,
    needs: ['issues'],
    handle(call, repo) {
      const item = itemOf(call, repo);
      const blockers = item.blockedBy.flatMap((number) => repo.items.get(number) ?? []);
      return page(call, blockers, (blocker) => call.shapes.issue(repo, blocker));
    },
  },
];
