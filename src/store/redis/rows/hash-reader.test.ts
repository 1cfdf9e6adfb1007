// Many readers of one turn cost one command.

import { expect, it } from 'vitest';
import { createHashReader } from './hash-reader.ts';

const VALUES: Record<string, string> = { one: '1', two: '2', three: '3' };

function createHash(fails = false) {
  const commands: unknown[][] = [];
  const send = async <Answer>(...command: (string | number)[]): Promise<Answer> => {
    commands.push(command);
    if (fails) throw new Error('away');
    return command.slice(2).map((name) => VALUES[name] ?? null) as Answer;
  };
  return { commands, read: createHashReader({ send }, 'hash') };
}

it('gives everybody their own, in order, by one command for each turn', async () => {
  const { commands, read } = createHash();
  const answers = await Promise.all([read(['two', 'none']), read([]), read(['one'])]);
  expect(answers).toEqual([['2', ''], [], ['1']]);
  expect(await read(['three'])).toEqual(['3']);
  expect(commands).toEqual([
    ['HMGET', 'hash', 'two', 'none', 'one'],
    ['HMGET', 'hash', 'three'],
  ]);
});

it('tells everybody of the turn when it fails', async () => {
  const { read } = createHash(true);
  const asked = await Promise.allSettled([read(['one']), read(['two'])]);
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

it('asks for very many a thousand at a time', async () => {
  const { commands, read } = createHash();
  const names = Array.from({ length: 2500 }, (_, index) => `n${index}`);
  expect(await read(names)).toHaveLength(2500);
  expect(commands.map(({ length }) => length - 2)).toEqual([1000, 1000, 500]);
});
