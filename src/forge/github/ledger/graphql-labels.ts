// Labels added and removed by one request. REST needs one for each label it removes, and replacing all labels would
// touch those of people; GraphQL does exactly what is asked, and GitHub counts it in a budget of its own.

import type { LabelChange } from '../../../core/forge.ts';
import { statusOf } from '../http/refusals.ts';
import type { RepositoryApi } from '../http/repository-api.ts';
import { GraphqlUsedUp } from '../http/throttle.ts';

export interface GraphqlLabels {
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

/** How long its budget is used up, where that is what is wrong. */
function limitedMs(error: unknown): number | null {
  if (error instanceof GraphqlUsedUp) return error.retryAfterMs;
  const said = error instanceof Error && error.message === 'GraphQL Rate Limit Exceeded';
  return said ? UNSAID_WAIT_MS : null;
}

/** GitHub has understood and said no, in a way that REST will say more clearly. */
function isRefusal(error: unknown): boolean {
  const status = statusOf(error) ?? 0;
  return status >= 400 && status < 500;
}

export function createGraphqlLabels(
  api: RepositoryApi,
  nodeIdOf: (number: number) => string | null,
  now: () => number,
): GraphqlLabels {
  const ids = new Map<string, string>();
  /** Its budget is used up until then: asking would only cost a place. */
  let usedUpUntil = 0;

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
    const { data } = await api.graphql<Mutated>(query, variables);
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
      if (now() < usedUpUntil) return false;
      if (add.length + remove.length === 0) return true;
      try {
        if (await send(item, add, remove)) return true;
      } catch (error) {
        const waitMs = limitedMs(error);
        if (waitMs !== null) {
          usedUpUntil = now() + waitMs;
          return false;
        }
        if (!isRefusal(error)) throw error;
      }
      // Somebody may have deleted a label and made it again: then it has another id.
      for (const name of [...change.add, ...change.remove]) ids.delete(name.toLowerCase());
      return false;
    },
  };
}
