// The mutations of labels by GraphQL: they run one after the other, and what is wrong is said in an answer of 200.

import type { Auth } from '../server/auth.ts';
import type { Item, Label, Repo } from '../state.ts';
import { type Answer, type Call, fields, Refusal, type Route } from './route.ts';

const ROUTE: Route = {
  operation: 'POST /graphql',
  needs: ['issues', 'pull_requests'],
  handle: () => ({ status: 200 }),
};

interface Wrong {
  readonly type: string;
  readonly path: readonly string[];
  readonly message: string;
}

/** What `nodeId` wrapped up. */
function numberIn(id: unknown, pattern: RegExp): number {
  const inner = Buffer.from(String(id).split('_')[1] ?? '', 'base64url').toString();
  return Number(pattern.exec(inner)?.[1] ?? Number.NaN);
}

function find(call: Call, auth: Auth, id: unknown): { repo: Repo; item: Item } | null {
  const wanted = numberIn(id, /^(?:I|PR)(\d+)$/);
  for (const repo of call.world.repos.values()) {
    if (!auth.canSee(call.who, repo)) continue;
    const item = repo.items.get(repo.numbers.get(wanted) ?? 0);
    if (item !== undefined) return { repo, item };
  }
  return null;
}

function labelled(repo: Repo, id: unknown): Label | undefined {
  return repo.labels.get(numberIn(id, /^LA(\d+)$/));
}

export function mutateLabels(call: Call, auth: Auth): Answer {
  const { query, variables } = fields(call);
  const given = (variables ?? {}) as { item?: unknown; add?: unknown[]; remove?: unknown[] };
  const errors: Wrong[] = [];
  const data: Record<string, object | null> = {};

  const run = (alias: string, ids: readonly unknown[], act: 'label' | 'unlabel') => {
    data[alias] = null;
    const wrong = (type: string, message: string) =>
      void errors.push({ type, path: [alias], message });
    const unknown = (id: unknown) =>
      wrong('NOT_FOUND', `Could not resolve to a node with the global id of '${String(id)}'`);
    const found = find(call, auth, given.item);
    if (found === null) return unknown(given.item);
    const labels = ids.map((id) => labelled(found.repo, id));
    const missing = labels.indexOf(undefined);
    if (missing !== -1) return unknown(ids[missing]);
    try {
      auth.permit(call.who, ROUTE, found.repo);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return wrong('FORBIDDEN', error.message);
    }
    const names = labels.flatMap((label) => label?.name ?? []);
    call.acts[act](found.repo, call.who.account, found.item.number, names);
    data[alias] = { clientMutationId: null };
  };

  const text = String(query);
  if (text.includes('addLabelsToLabelable')) run('added', given.add ?? [], 'label');
  if (text.includes('removeLabelsFromLabelable')) run('removed', given.remove ?? [], 'unlabel');
  return { status: 200, body: { data, ...(errors.length === 0 ? {} : { errors }) } };
}
