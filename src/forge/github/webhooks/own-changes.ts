// Deliveries that only repeat what Banto itself has just written: several in one second for each change of labels,
// which nothing but a read could put in order. The store knows better; polling shows them anyway.

import type { LabelChange } from '../../../core/forge.ts';

export interface OwnChanges {
  /** Said before the write: a delivery may overtake its answer. */
  note(number: number, change: LabelChange): void;
  isOwn(number: number, action: string, label: string): boolean;
}

const HEARD_WITHIN_MS = 30_000;

export function createOwnChanges(now: () => number): OwnChanges {
  const own = new Map<string, number>();
  const keyOf = (number: number, action: string, label: string) =>
    `${number} ${action} ${label.toLowerCase()}`;
  return {
    note(number, { add, remove }) {
      const at = now();
      // In order of age: the first young one ends the cleaning.
      for (const [key, notedAt] of own) {
        if (notedAt > at - HEARD_WITHIN_MS) break;
        own.delete(key);
      }
      const keys = [
        ...add.map((name) => keyOf(number, 'labeled', name)),
        ...remove.map((name) => keyOf(number, 'unlabeled', name)),
      ];
      for (const key of keys) {
        own.delete(key);
        own.set(key, at);
      }
    },
    isOwn(number, action, label) {
      const notedAt = own.get(keyOf(number, action, label));
      return notedAt !== undefined && now() - notedAt <= HEARD_WITHIN_MS;
    },
  };
}
