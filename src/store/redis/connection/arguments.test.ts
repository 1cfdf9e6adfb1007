// Texts of every kind reach a real Redis as they are.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { createArguments, WrittenCommand } from './arguments.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());

async function sent(texts: readonly string[], size?: number): Promise<unknown> {
  const written = createArguments(size)((to) => to.texts(texts));
  await server.raw.del('list');
  await server.raw.sendCommand(new WrittenCommand('RPUSH', ['list'], written));
  return server.raw.lrange('list', '0', '-1');
}

describe('arguments', () => {
  it.each([
    ['plain', ['a', 'feature/issue-7', '']],
    ['of other scripts', ['番頭', 'läuft', '🚚 unterwegs', 'a\u0000b', '\r\n$3\r\n']],
    ['as long as a header that is kept ready, and longer', ['x'.repeat(999), 'x'.repeat(1000)]],
    ['long and of other scripts', ['é'.repeat(40_000), '番'.repeat(70_000)]],
    ['many', Array.from({ length: 5000 }, (_, index) => `number ${index}`)],
  ])('that are %s', async (_, texts) => {
    expect(await sent(texts)).toEqual(texts);
    // From room for hardly one of them on.
    expect(await sent(texts, 16)).toEqual(texts);
  });

  it('begin again for each call, also after one that could not be filled in', () => {
    const write = createArguments();
    const first = write((to) => to.text('one'));
    expect(() =>
      write((to) => {
        to.text('half of it');
        throw new Error('no more');
      }),
    ).toThrow('no more');
    const second = write((to) => to.int(2));
    expect(String(first.bytes)).toBe('$3\r\none\r\n');
    expect(String(second.bytes)).toBe('$1\r\n2\r\n');
    expect([first.count, second.count]).toEqual([1, 1]);
  });
});
