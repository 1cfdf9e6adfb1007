import { expect, test } from 'vitest';
import { addTo, createLane, firstScores, headOf, removeFrom, sizeOf } from './lane.ts';

/** The same as simply as it can be said. */
function reference() {
  const scores: number[] = [];
  return {
    scores,
    add: (score: number) => {
      scores.push(score);
      scores.sort((a, b) => a - b);
    },
    remove: (score: number) => scores.splice(scores.indexOf(score), 1),
  };
}

test('a lane is in order after anything is added or removed anywhere', () => {
  const lane = createLane<string>('b');
  const expected = reference();
  let random = 7;
  const next = (most: number) => {
    random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
    return random % most;
  };
  for (let step = 0; step < 6000; step += 1) {
    const grows = expected.scores.length === 0 || next(3) > 0;
    if (grows) {
      const score = next(4) === 0 ? next(1000) + step / 10_000 : 1000 + step;
      expected.add(score);
      addTo(lane, `${score}`, score);
    } else {
      const score = expected.scores[next(2) === 0 ? 0 : next(expected.scores.length)] ?? 0;
      expected.remove(score);
      removeFrom(lane, `${score}`, score);
    }
    expect(sizeOf(lane)).toBe(expected.scores.length);
    expect(lane.headScore).toBe(expected.scores[0] ?? Number.POSITIVE_INFINITY);
    expect(headOf(lane)).toBe(expected.scores.length === 0 ? undefined : `${expected.scores[0]}`);
  }
  expect(firstScores(lane, 10_000)).toEqual(expected.scores);
  while (sizeOf(lane) > 0) removeFrom(lane, headOf(lane) ?? '', lane.headScore);
  expect(lane.headScore).toBe(Number.POSITIVE_INFINITY);
});

test('what does not stand in a lane cannot leave it', () => {
  const lane = createLane<string>('b');
  addTo(lane, 'x', 1);
  expect(() => removeFrom(lane, 'y', 1)).toThrow('missing from its bucket b');
});
