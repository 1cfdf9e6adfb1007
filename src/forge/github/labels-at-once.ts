// Labels added and removed by one request. REST needs one for each label it removes, and replacing all labels would
// touch those of people; GraphQL does exactly what is asked, and GitHub counts it in a budget of its own.

import { RequestError } from '@octokit/request-error';
import type { LabelChange } from '../../core/forge.ts';
import { readBudget } from './limits.ts';
import type { Place } from './place.ts';

export interface LabelsAtOnce {
  /** False: not this way, or not now; what has happened already may be repeated by REST. */
  set(number: number, change: LabelChange): Promise<boolean>;
  /** GitHub names labels by ids here: every answer of REST that shows them teaches some. */
  learn(labels: unknown): void;
  forget(): void;
}

interface Mutated {
  readonly errors?: readonly { readonly type?: string; readonly message?: string }[];
}

const ADD =
  'added: addLabelsToLabelable(input: {labelableId: $item, labelIds: $add}) { clientMutationId }';
const REMOVE =
  'removed: removeLabelsFromLabelable(input: {labelableId: $item, labelIds: $remove}) { clientMutationId }';
const QUERIES = {
  add: `mutation ($item: ID!, $add: [ID!]!) { ${ADD} }`,
  remove: `mutation ($item: ID!, $remove: [ID!]!) { ${REMOVE} }`,
  both: `mutation ($item: ID!, $add: [ID!]!, $remove: [ID!]!) { ${ADD} ${REMOVE} }`,
};

const MOST_KNOWN = 5000;
const UNSAID_WAIT_MS = 60_000;
const SLACK_MS = 60_000;

function isLimited(error: unknown): boolean {
  return error instanceof Error && error.message === 'GraphQL Rate Limit Exceeded';
}

/** GitHub has understood and said no, in a way that REST will say more clearly. */
function isRefusal(error: unknown): boolean {
  return error instanceof RequestError && error.status >= 400 && error.status < 500;
}

export function createLabelsAtOnce(
  place: Place,
  nodeIdOf: (number: number) => string | null,
  now: () => number,
): LabelsAtOnce {
  const ids = new Map<string, string>();
  /** What is left of its hour, less what is under way. */
  let left = Number.POSITIVE_INFINITY;
  let resetAt = 0;

  /** Null: not all of them are known. */
  function idsOf(names: readonly string[]): string[] | null {
    const found = names.flatMap((name) => ids.get(name.toLowerCase()) ?? []);
    return found.length === names.length ? found : null;
  }

  async function send(item: string, add: string[], remove: string[]): Promise<boolean> {
    const query =
      add.length === 0 ? QUERIES.remove : remove.length === 0 ? QUERIES.add : QUERIES.both;
    const variables = {
      item,
      ...(add.length === 0 ? {} : { add }),
      ...(remove.length === 0 ? {} : { remove }),
    };
    left -= 1;
    const { data, headers } = await place.graphql<Mutated>(query, variables);
    const budget = readBudget(headers, now(), 'graphql');
    if (budget !== null) {
      // Whole seconds on both sides: a new hour may be told of before the old one has ended here.
      const sameHour = budget.resetAt - resetAt < SLACK_MS;
      left = sameHour ? Math.min(left, budget.remaining) : budget.remaining;
      resetAt = Math.max(resetAt, budget.resetAt);
    }
    if (typeof data !== 'object' || data === null) {
      throw new Error("GitHub's answer about labels is not whole.");
    }
    return (data.errors ?? []).length === 0;
  }

  return {
    forget: () => ids.clear(),
    learn(labels) {
      if (!Array.isArray(labels)) return;
      for (const { name, node_id } of labels as { name?: unknown; node_id?: unknown }[]) {
        if (typeof name !== 'string' || typeof node_id !== 'string') continue;
        if (ids.size >= MOST_KNOWN) ids.clear();
        ids.set(name.toLowerCase(), node_id);
      }
    },
    async set(number, change) {
      const item = nodeIdOf(number);
      const add = idsOf(change.add);
      const remove = idsOf(change.remove);
      if (item === null || add === null || remove === null) return false;
      if (left <= 0 && now() < resetAt) return false;
      if (add.length + remove.length === 0) return true;
      try {
        if (await send(item, add, remove)) return true;
      } catch (error) {
        if (isLimited(error)) {
          left = 0;
          resetAt = Math.max(resetAt, now() + UNSAID_WAIT_MS);
        } else if (!isRefusal(error)) throw error;
      }
      // Somebody may have deleted a label and made it anew: then it has another id.
      for (const name of [...change.add, ...change.remove]) ids.delete(name.toLowerCase());
      return false;
    },
  };
}
