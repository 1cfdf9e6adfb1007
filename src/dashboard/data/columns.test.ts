import { expect, test } from 'vitest';
import {
  fileCards,
  keepOrder,
  matchesText,
  readFilter,
  reference,
  referenceOf,
} from './columns.ts';
import type { Card } from './contract.ts';

function card(number: number, over: Partial<Card> = {}): Card {
  return {
    task_id: `octo~shop~${number}~implement.1`,
    repository: 'octo/shop',
    issue_id: number,
    title: `Issue ${number}`,
    labels: [],
    kind: 'implement',
    state: 'ready',
    priority: 50,
    since: `2026-11-15T20:00:${String(number).padStart(2, '0')}.000Z`,
    lease: null,
    done_by: null,
    only_agent: null,
    ready_at: null,
    ...over,
  } as Card;
}

const numbers = (cards: readonly Card[]) => cards.map(({ issue_id }) => issue_id);
const filter = (query: string) => readFilter(new URLSearchParams(query));

test('the ready column is in the order of the queue: priority, then age', () => {
  const cards = [card(1), card(2, { priority: 25 }), card(3, { priority: 100 }), card(4)];
  expect(numbers(fileCards(cards, filter('')).ready)).toEqual([3, 1, 4, 2]);
});

test('what ended is newest first, what is delayed is soonest first', () => {
  const done = [card(1, { state: 'done' }), card(2, { state: 'done' })];
  expect(numbers(fileCards(done, filter('')).done)).toEqual([2, 1]);
  const delayed = [
    card(1, { state: 'delayed', ready_at: '2026-11-15T22:00:00.000Z' }),
    card(2, { state: 'delayed', ready_at: '2026-11-15T21:00:00.000Z' }),
  ];
  expect(numbers(fileCards(delayed, filter('')).delayed)).toEqual([2, 1]);
});

test('reviews and fixes that are offered or worked on stand together, the running ones first', () => {
  const cards = [
    card(1, { kind: 'fix', priority: 100 }),
    card(2, { kind: 'review', state: 'leased', lease: { agent_id: 'ann' } as Card['lease'] }),
    card(3, { kind: 'review', state: 'delayed' }),
  ];
  const columns = fileCards(cards, filter(''));
  expect(numbers(columns.review)).toEqual([2, 1]);
  expect(numbers(columns.delayed)).toEqual([3]);
});

test('another order can be asked for; an unknown one is the usual one', () => {
  const cards = [card(2, { priority: 100 }), card(1)];
  expect(numbers(fileCards(cards, filter('sort=number')).ready)).toEqual([1, 2]);
  expect(numbers(fileCards(cards, filter('sort=newest')).ready)).toEqual([2, 1]);
  expect(filter('sort=x').sort).toBe('queue');
});

test('under the pointer nothing changes places: what is new comes last, what is gone leaves', () => {
  const before = ['octo~shop~4~implement.1', 'octo~shop~2~implement.1', 'octo~shop~1~implement.1'];
  expect(numbers(keepOrder([card(1), card(3), card(4)], before))).toEqual([4, 1, 3]);
  const same = [card(4), card(2), card(1), card(9)];
  expect(keepOrder(same, before)).toBe(same);
});

test('filters hold together', () => {
  const cards = [
    card(1, { labels: ['css'] }),
    card(2, { labels: ['css'], repository: 'octo/docs' }),
    card(3, { labels: ['go'] }),
  ];
  expect(numbers(fileCards(cards, filter('label=css')).ready)).toEqual([1, 2]);
  expect(numbers(fileCards(cards, filter('label=css&repository=octo/shop')).ready)).toEqual([1]);
});

test.each([
  ['#7', true],
  ['7', true],
  ['70', false],
  ['shop#7', true],
  ['login FIX', true],
  ['fix frontend', true],
  ['ann', true],
  ['nothing', false],
])('searching for %s finds it: %s', (text, found) => {
  const it = card(7, { title: 'Fix the login', labels: ['frontend'], done_by: 'ann' });
  expect(matchesText(it, text)).toBe(found);
});

test('a task is called by its repository and number, known or not', () => {
  expect(reference(card(7))).toBe('shop#7');
  expect(referenceOf('octo~shop~7~review.2')).toBe('shop#7');
  expect(referenceOf('shop~7~implement.1')).toBe('shop#7');
});
