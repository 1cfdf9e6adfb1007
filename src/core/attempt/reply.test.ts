import { describe, expect, it } from 'vitest';
import {
  askedEvent,
  nextQuestionId,
  type Question,
  questionOfEvent,
  waitsForAnswer,
} from './question.ts';
import { answersIn, type Reply } from './reply.ts';

const question = (id: string, over: Partial<Question> = {}): Question => ({
  id,
  agentId: 'a1',
  fence: 1,
  question: 'Which port?',
  askedAt: 1000,
  answer: null,
  answeredAt: null,
  ...over,
});
const keyOf = (id: string) => `asked-${id}`;
const reply = (text: string, after = ['q1'], over: Partial<Reply> = {}): Reply => ({
  author: 'ann',
  text,
  at: 100_000,
  after: after.map(keyOf),
  ...over,
});
const both = ['q1', 'q2'];
const answers = (questions: readonly Question[], ...replies: Reply[]) =>
  answersIn(questions, keyOf, replies).map(({ questionId, answer }) => [questionId, answer]);

describe('one open question', () => {
  it.each([
    ['8080', '8080'],
    ['  8080\n', '8080'],
    ['q1: 8080', '8080'],
    ['Q1： 8080', '8080'],
    ['> Banto: the agent asks\n>\n> Which port?\n\n8080', '8080'],
    ['@banto 8080', '8080'],
    ['@a1: q1: 8080', '8080'],
  ])('is answered by %j', (text, answer) => {
    expect(answers([question('q1')], reply(text))).toEqual([['q1', answer]]);
  });

  it.each([
    ['nothing but a quotation', reply('> Which port?')],
    ['words to somebody else', reply('@bob what do you think?')],
    ['another name in front', reply('q2: 8080')],
    ['a name without words', reply('q1:')],
    ['what was written before it was asked', reply('8080', [])],
    ['its name, written before it was asked', reply('q1: 8080', [])],
  ])('is not answered by %s', (_, one) => {
    expect(answers([question('q1')], one)).toEqual([]);
  });

  it('has one answer, the first', () => {
    expect(answers([question('q1')], reply('80'), reply('8080'))).toEqual([['q1', '80']]);
    expect(answers([question('q1', { answer: '80', answeredAt: 1 })], reply('8080'))).toEqual([]);
  });
});

describe('two open questions', () => {
  const open = [question('q1'), question('q2')];

  it('are told apart by name, never by guessing', () => {
    expect(answers(open, reply('8080', both))).toEqual([]);
    expect(answers(open, reply('q2: yes', both), reply('q1: 8080', both))).toEqual([
      ['q2', 'yes'],
      ['q1', '8080'],
    ]);
  });

  it('leave one for a reply without a name, once the other was answered before it', () => {
    expect(answers(open, reply('q1: 8080', both), reply('yes', both))).toEqual([
      ['q1', '8080'],
      ['q2', 'yes'],
    ]);
  });

  it('are not one, though the other was answered elsewhere after the reply was written', () => {
    const later = [question('q1', { answer: '80', answeredAt: 200_000 }), question('q2')];
    expect(answers(later, reply('yes', both))).toEqual([]);
    const before = [question('q1', { answer: '80', answeredAt: 50_000 }), question('q2')];
    expect(answers(before, reply('yes', both))).toEqual([['q2', 'yes']]);
  });

  it('do not matter where people write below a question', () => {
    const below = { below: keyOf('q1') };
    expect(answers(open, reply('8080', both, below))).toEqual([['q1', '8080']]);
    expect(answers(open, reply('q2: yes', both, below))).toEqual([['q2', 'yes']]);
  });
});

describe('the words of an answer', () => {
  const words = (text: string) => answers([question('q1')], reply(text))[0]?.[1];

  it('keep their lines, without the quotation on top and blanks around them', () => {
    expect(words('> a\n   \n> b\n\n8080\n> kept\n9090')).toBe('8080\n> kept\n9090');
    expect(words('@a1,   8080')).toBe('8080');
    expect(words('@a1 q1:  8080 ')).toBe('8080');
  });

  it('are cut where they are very long', () => {
    expect(words('x'.repeat(20_001))).toBe('x'.repeat(20_000));
  });

  it('count where the other question was answered more than a moment before', () => {
    const open = (answeredAt: number) =>
      answers([question('q1', { answer: '80', answeredAt }), question('q2')], reply('yes', both));
    expect(open(95_000)).toEqual([['q2', 'yes']]);
    expect(open(95_001)).toEqual([]);
  });
});

describe('a question', () => {
  it.each<[Partial<Question>, number, boolean]>([
    [{}, 1099, true],
    [{}, 1100, false],
    [{ answer: 'x' }, 1000, false],
  ])('with %j waits for an answer at %i: %s', (over, now, waits) => {
    expect(waitsForAnswer(question('q1', over), 100, now)).toBe(waits);
  });

  it('has the next number', () => {
    expect(nextQuestionId([])).toBe('q1');
    expect(nextQuestionId([question('q1'), question('q12')])).toBe('q13');
    expect(questionOfEvent(askedEvent('q3'))).toBe('q3');
    expect(questionOfEvent('dead')).toBeNull();
  });
});
