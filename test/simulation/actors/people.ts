// People on the forge: they open issues, edit, close, reopen and relabel them, also while somebody works on them.

import type { Dice } from '../engine/dice.ts';
import type { World } from '../world/world.ts';
import { LABELS } from './agents.ts';

export const WITH_DELIVERABLES = 'It is broken.\n\n## Deliverables\n\n- a fix\n';
const WITHOUT = 'It is broken.';
/** Closed for so long, an issue is never looked at again. */
const SETTLED_MS = 600_000;

export interface People {
  /** Something that somebody does to some issue. */
  act(dice: Dice): void;
  openIssue(dice: Dice): void;
  /** Closed issues that nobody will reopen are taken out of the forge. */
  tidy(): void;
  /** Everything is put right that only people can put right. */
  repair(): void;
  /** Closes what others wait for, once there is nothing more to do for it. */
  closeFinished(hasWork: (number: number) => boolean): void;
}

interface Deed {
  readonly name: string;
  readonly weight: number;
  readonly needsOpen: boolean;
  readonly wants?: (labels: ReadonlyMap<string, string>) => boolean;
  readonly does: (world: World, number: number, dice: Dice) => void;
}

const relabel =
  (add: readonly string[], remove: readonly string[]) => (world: World, number: number) =>
    world.remote.edit(number, (issue, at) => issue.relabel(at, 'people', add, remove));

const setState = (state: 'open' | 'closed') => (world: World, number: number) =>
  world.remote.edit(number, (issue, at) => issue.change(at, { state }));

const setBody = (body: string) => (world: World, number: number) =>
  world.remote.edit(number, (issue, at) => issue.change(at, { body }));

const DEEDS: readonly Deed[] = [
  {
    name: 'closes a finished issue',
    weight: 30,
    needsOpen: true,
    wants: (labels) => labels.has('approved') || labels.has('needs-human'),
    does: setState('closed'),
  },
  {
    name: 'closes an issue in the middle of its work',
    weight: 4,
    needsOpen: true,
    does: setState('closed'),
  },
  { name: 'reopens an issue', weight: 8, needsOpen: false, does: setState('open') },
  {
    name: 'changes the priority',
    weight: 8,
    needsOpen: true,
    does(world, number, dice) {
      const all = ['priority:high', 'priority:low'];
      const add = dice.chance(0.7) ? [dice.pick(['priority:high', 'priority:low'])] : [];
      relabel(
        add,
        all.filter((label) => !add.includes(label)),
      )(world, number);
    },
  },
  {
    name: 'changes the labels',
    weight: 8,
    needsOpen: true,
    does(world, number, dice) {
      relabel([dice.pick(LABELS)], [dice.pick(LABELS)])(world, number);
    },
  },
  { name: 'puts `blocked` on it', weight: 4, needsOpen: true, does: relabel(['blocked'], []) },
  { name: 'takes `blocked` off it', weight: 6, needsOpen: true, does: relabel([], ['blocked']) },
  { name: 'takes the deliverables out', weight: 2, needsOpen: true, does: setBody(WITHOUT) },
  { name: 'writes the deliverables', weight: 4, needsOpen: true, does: setBody(WITH_DELIVERABLES) },
  {
    name: 'asks for a review by label',
    weight: 2,
    needsOpen: true,
    does: relabel(['needs-review'], []),
  },
  {
    name: 'takes Banto’s labels off',
    weight: 3,
    needsOpen: true,
    does: relabel([], ['in-progress', 'needs-review']),
  },
  {
    name: 'puts `in-progress` on it',
    weight: 2,
    needsOpen: true,
    does: relabel(['in-progress'], []),
  },
  {
    name: 'makes it wait for an earlier one',
    weight: 10,
    needsOpen: true,
    does(world, number, dice) {
      const other = Math.max(1, number - 1 - dice.below(8));
      if (other === number) return;
      world.remote.edit(number, (issue, at) => issue.change(at, { blockedBy: [other] }));
    },
  },
  {
    name: 'deletes it',
    weight: 1,
    needsOpen: true,
    does: (world, number) => world.remote.delete(number),
  },
];
const TOTAL = DEEDS.reduce((sum, { weight }) => sum + weight, 0);

export function createPeople(world: World, most: number): People {
  const { remote, time, tell, count } = world;
  const isOpen = (number: number) => remote.issues.get(number)?.picture().state === 'open';

  function aDeed(dice: Dice): Deed {
    let left = dice.next() * TOTAL;
    return DEEDS.find(({ weight }) => (left -= weight) < 0) ?? (DEEDS[0] as Deed);
  }

  /** A few tries: the first one that the deed makes sense for. */
  function anIssue(dice: Dice, { needsOpen, wants }: Deed): number | null {
    const numbers = [...remote.issues.keys()];
    for (let tries = 0; tries < 12 && numbers.length > 0; tries += 1) {
      const number = numbers[dice.below(numbers.length)] ?? 0;
      const issue = remote.issues.get(number);
      if (issue === undefined || isOpen(number) !== needsOpen) continue;
      if (wants === undefined || wants(issue.labels)) return number;
    }
    return null;
  }

  function openIssue(dice: Dice): void {
    const labels = new Set<string>([dice.pick(LABELS)]);
    if (dice.chance(0.4)) labels.add(dice.pick(LABELS));
    if (dice.chance(0.15)) labels.add('priority:high');
    if (dice.chance(0.15)) labels.add('priority:low');
    const body = dice.chance(0.95) ? WITH_DELIVERABLES : WITHOUT;
    const issue = remote.open({
      title: 'Something is broken',
      body,
      labels: [...labels],
      blockedBy: [],
    });
    tell(() => `Somebody opens #${issue.number} (${[...labels].join(', ')}).`);
  }

  return {
    openIssue,
    act(dice) {
      if (dice.chance(0.5) && remote.issues.size < most) return openIssue(dice);
      const deed = aDeed(dice);
      const number = anIssue(dice, deed);
      if (number === null) return;
      count('issues changed by people');
      tell(() => `Somebody ${deed.name}: #${number}.`);
      deed.does(world, number, dice);
    },
    tidy() {
      for (const [number, issue] of remote.issues) {
        const { state, updatedAt } = issue.picture();
        if (state === 'closed' && updatedAt < time.now() - SETTLED_MS) remote.drop(number);
      }
    },
    repair() {
      for (const [number, issue] of remote.issues) {
        if (!isOpen(number)) continue;
        const byHand = [...issue.labels].flatMap(([label, by]) =>
          by === 'people' && ['blocked', 'needs-human', 'in-progress', 'approved'].includes(label)
            ? label
            : [],
        );
        const malformed = issue.picture().body !== WITH_DELIVERABLES;
        if (byHand.length === 0 && !malformed) continue;
        remote.edit(number, (one, at) => {
          if (malformed) one.change(at, { body: WITH_DELIVERABLES });
          if (byHand.length > 0) one.relabel(at, 'people', [], byHand);
        });
      }
    },
    closeFinished(hasWork) {
      const awaited = [...remote.issues.values()].flatMap((issue) =>
        isOpen(issue.number) ? issue.picture().blockedBy : [],
      );
      for (const number of new Set(awaited)) {
        if (isOpen(number) && !hasWork(number)) setState('closed')(world, number);
      }
    },
  };
}
