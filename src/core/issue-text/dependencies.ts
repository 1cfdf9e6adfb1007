// Dependencies that can never be met, or mean nothing: an issue that waits for itself, for a number that
// does not exist, or in a circle. None stops a hand-out by itself; people have to be told.

import { type Because, because } from '../because.ts';

export interface DependencyNotes {
  readonly self: boolean;
  readonly unknown: readonly number[];
  /** The way from the issue back to itself: `[1, 2, 1]`. */
  readonly cycle: readonly number[] | null;
}

/** What an issue names; null: there is no such issue. Closed issues wait for nothing. */
export type Named = (number: number) => readonly number[] | null;

/** The shortest way back, breadth first. */
function cycleFrom(start: number, named: Named): number[] | null {
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (const at of queue) {
    for (const next of named(at) ?? []) {
      if (next === at) continue;
      if (next === start) {
        const way = [start];
        for (let step = at; step !== start; step = cameFrom.get(step) ?? start) way.unshift(step);
        return [start, ...way];
      }
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, at);
      queue.push(next);
    }
  }
  return null;
}

export function dependencyNotes(number: number, named: Named): DependencyNotes {
  const own = named(number) ?? [];
  return {
    self: own.includes(number),
    unknown: own.filter((other) => other !== number && named(other) === null),
    cycle: cycleFrom(number, named),
  };
}

const hash = (numbers: readonly number[], glue: string) => numbers.map((n) => `#${n}`).join(glue);

/** One sentence for each thing that is wrong. */
export function describeNotes(number: number, notes: DependencyNotes): string[] {
  const { self, unknown, cycle } = notes;
  return [
    ...(self ? [`#${number} names itself as a dependency, which is ignored.`] : []),
    ...(unknown.length === 0
      ? []
      : [
          `#${number} waits for ${hash(unknown, ', ')}, which ${unknown.length === 1 ? 'does' : 'do'} not exist; that is ignored.`,
        ]),
    ...(cycle === null
      ? []
      : [
          `The dependencies form a circle (${hash(cycle, ' → ')}), so none of these is ever offered: remove one of them.`,
        ]),
  ];
}

/** The same as one reason; null: nothing is wrong. */
export function explainNotes(number: number, notes: DependencyNotes): Because | null {
  const sentences = describeNotes(number, notes);
  if (sentences.length === 0) return null;
  return because('dependencies', sentences.join(' '), {
    self: notes.self ? `#${number}` : null,
    unknown: hash(notes.unknown, ', '),
    cycle: hash(notes.cycle ?? [], ' → '),
  });
}

/** The same circle is found from each of its issues; it is told once. */
export function describeAll(numbers: readonly number[], named: Named): string[] {
  const told = new Set<string>();
  return numbers.flatMap((number) => {
    const notes = dependencyNotes(number, named);
    const key = notes.cycle === null ? '' : [...new Set(notes.cycle)].sort((a, b) => a - b).join();
    const known = key !== '' && told.has(key);
    told.add(key);
    return describeNotes(number, known ? { ...notes, cycle: null } : notes);
  });
}
