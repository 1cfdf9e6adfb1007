// Labels on an issue: one request for all of a change where that can be, otherwise one for all that are added and one
// for each that is removed. No other label is touched.

import type { LabelChange } from '../../../core/forge.ts';
import { LEDGER_LABELS, type LedgerLabel } from '../../../core/ledger.ts';
import { hasStatus, refusalOf } from '../http/refusals.ts';
import type { PageMemory, RepositoryApi } from '../http/repository-api.ts';
import type { GraphqlLabels } from './graphql-labels.ts';

export interface Labels {
  set(number: number, change: LabelChange): Promise<void>;
  /**
   * Looks which labels there are, so that a hand-out need not. Answers with those that are not there any more, or,
   * the first time, with labels of the ledger that are not there.
   */
  learn(): Promise<string[]>;
  /** Somebody renamed or deleted a label: what was made is not certain any more. */
  forget(): void;
}

interface GithubLabel {
  readonly name: string;
  readonly node_id: string;
}

const LABEL_PAGES_KEPT = 20;
const one = '/repos/{owner}/{repo}/issues/{issue_number}/labels';

export function createLabels(api: RepositoryApi, graphqlLabels: GraphqlLabels): Labels {
  /** Ledger labels that are known to exist, with the colours that people have chosen or we gave. */
  const made = new Set<string>();
  /** Many hand-outs at once make a label once. */
  const making = new Map<string, Promise<void>>();
  const memory: PageMemory<GithubLabel> = {
    kept: new Map(),
    trim: ({ name, node_id }) => ({ name, node_id }),
    most: LABEL_PAGES_KEPT,
  };
  let learned = false;

  async function makeOne({ name, color, description }: LedgerLabel): Promise<void> {
    try {
      const route = 'POST /repos/{owner}/{repo}/labels';
      const { data } = await api.request(route, { name, color, description });
      graphqlLabels.learn([data]);
    } catch (error) {
      const exists = hasStatus(error, 422) && /already_exists/.test(String(error));
      if (!exists) throw error;
    }
    made.add(name);
  }

  /** The few labels of the ledger are made once, with colour and description; agents' names need none. */
  async function make(add: readonly string[]): Promise<void> {
    const wanted = new Set(add.map((name) => name.toLowerCase()));
    for (const label of LEDGER_LABELS) {
      const { name } = label;
      if (!wanted.has(name) || made.has(name)) continue;
      const under = making.get(name) ?? makeOne(label).finally(() => making.delete(name));
      making.set(name, under);
      await under;
    }
  }

  async function remove(number: number, name: string): Promise<void> {
    try {
      await api.request(`DELETE ${one}/{name}`, { issue_number: number, name });
    } catch (error) {
      // Not there, or the issue is gone: only the words tell these apart.
      if (!hasStatus(error, 404) || !/label/i.test(String(error))) throw error;
    }
  }

  return {
    forget() {
      made.clear();
      graphqlLabels.forget();
    },
    async learn() {
      // One that is made while the listing comes may be missing from it.
      const before = learned ? [...made] : LEDGER_LABELS.map(({ name }) => name);
      const present: GithubLabel[] = [];
      const pages = api.pages<GithubLabel>('GET /repos/{owner}/{repo}/labels', {}, memory);
      for await (const page of pages) present.push(...page);
      learned = true;
      graphqlLabels.forget();
      graphqlLabels.learn(present);
      const names = new Set(present.map(({ name }) => name.toLowerCase()));
      for (const name of names) made.add(name);
      const lost = before.filter((name) => !names.has(name));
      for (const name of lost) made.delete(name);
      return lost;
    },
    async set(number, { add, remove: removed }) {
      try {
        await make(add);
        if (await graphqlLabels.set(number, { add, remove: removed })) return;
        if (add.length > 0) {
          const labels = { issue_number: number, labels: [...add] };
          const { data } = await api.request(`POST ${one}`, labels);
          graphqlLabels.learn(data);
        }
        for (const name of removed) await remove(number, name);
      } catch (error) {
        throw refusalOf(error, 'labels');
      }
    },
  };
}
