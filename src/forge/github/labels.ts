// Labels on an issue: one request for all of a change where that can be, otherwise one for all that are added and one
// for each that is removed. No other label is touched.

import type { LabelChange } from '../../core/forge.ts';
import { LEDGER_LABELS, type LedgerLabel } from '../../core/ledger.ts';
import type { LabelsAtOnce } from './labels-at-once.ts';
import type { Place } from './place.ts';
import { hasStatus, refusalOf } from './refusals.ts';

export interface Labels {
  set(number: number, change: LabelChange): Promise<void>;
  /** Looks which labels of the ledger there are, so that a hand-out need not. */
  learn(): Promise<void>;
  /** Somebody renamed or deleted a label: what was made is not certain any more. */
  forget(): void;
}

const one = '/repos/{owner}/{repo}/issues/{issue_number}/labels';

export function createLabels(place: Place, atOnce: LabelsAtOnce): Labels {
  /** Ledger labels that are known to exist, with the colours that people have chosen or we gave. */
  const made = new Set<string>();
  /** Many hand-outs at once make a label once. */
  const making = new Map<string, Promise<void>>();

  async function makeOne({ name, color, description }: LedgerLabel): Promise<void> {
    try {
      const route = 'POST /repos/{owner}/{repo}/labels';
      const { data } = await place.request(route, { name, color, description });
      atOnce.learn([data]);
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
      await place.request(`DELETE ${one}/{name}`, { issue_number: number, name });
    } catch (error) {
      // Not there, or the issue is gone: only the words tell these apart.
      if (!hasStatus(error, 404) || !/label/i.test(String(error))) throw error;
    }
  }

  return {
    forget() {
      made.clear();
      atOnce.forget();
    },
    async learn() {
      if (LEDGER_LABELS.every(({ name }) => made.has(name))) return;
      const pages = place.pages<{ name: string }>('GET /repos/{owner}/{repo}/labels', {});
      for await (const page of pages) {
        atOnce.learn(page);
        for (const { name } of page) made.add(name.toLowerCase());
      }
    },
    async set(number, { add, remove: removed }) {
      try {
        await make(add);
        if (await atOnce.set(number, { add, remove: removed })) return;
        if (add.length > 0) {
          const labels = { issue_number: number, labels: [...add] };
          const { data } = await place.request(`POST ${one}`, labels);
          atOnce.learn(data);
        }
        for (const name of removed) await remove(number, name);
      } catch (error) {
        throw refusalOf(error, 'labels');
      }
    },
  };
}
