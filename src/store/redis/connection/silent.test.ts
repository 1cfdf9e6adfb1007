// Commands without answers: they are done when the promise says so, and a connection that is no use is made again.

import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { succeeds } from '../../../../test/support/succeeds.ts';
import { openClient } from './connect.ts';
import { openSilent, type Silent } from './silent.ts';

let server: RedisServer;
let silent: Silent;
const open = () => {
  const timeouts = { commandTimeoutMs: 2000, connectTimeoutMs: 2000 };
  return openSilent(openClient({ url: server.url }, timeouts), 'a', () => undefined);
};
beforeAll(async () => {
  server = await startRedisServer();
  silent = await open();
});
afterAll(async () => {
  silent.close();
  await server.stop();
});

const set = (key: string, value: string) =>
  silent.send(key, (to) => to.command(['SET', key, value]));

it('is done when it was read, and what fails in it harms nothing else', async () => {
  await silent.send('a', (to) => {
    to.command(['SET', 'a', 'é \r\n "1"']);
    to.command(['HSET', 'a', 'not', 'a hash']);
    to.command(['NO-SUCH-COMMAND']);
    to.command(['SET', 'b', '2']);
  });
  expect(await server.raw.mget('a', 'b')).toEqual(['é \r\n "1"', '2']);
});

it('gathers what is said in one moment, in the order it was said', async () => {
  await Promise.all(
    ['1', '2', '3'].map((value) => silent.soon('c', (to) => to.command(['APPEND', 'c', value]))),
  );
  expect(await server.raw.get('c')).toBe('123');
});

it('says much more rarely, and at once when somebody waits for it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const silent = await open();
  onTestFinished(silent.close);
  const say = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () => silent.soon('e', (to) => to.command(['INCR', 'e']))),
    );
  const much = say(20);
  await vi.advanceTimersByTimeAsync(5);
  await much;
  const waits = say(1);
  await vi.advanceTimersByTimeAsync(40);
  expect(await server.raw.get('e')).toBe('20');
  silent.hurry();
  await waits;
  expect(await server.raw.get('e')).toBe('21');
  const little = say(1);
  await vi.advanceTimersByTimeAsync(5);
  await little;
});

it.each(['client|reply', 'watch', 'eval', 'multi', 'exec'])(
  'is not opened for a user who may not %s: later nobody would hear of it',
  async (right) => {
    const rules = ['on', '>secret', '~*', '&*', '+@all', `-${right}`];
    await server.raw.call('ACL', 'SETUSER', 'little', ...rules);
    const connection = { url: server.url, username: 'little', password: 'secret' };
    const client = openClient(connection, { commandTimeoutMs: 2000, connectTimeoutMs: 2000 });
    const opened = openSilent(client, 'a', () => undefined);
    await expect(opened).rejects.toThrow(/The Redis user may not do what Banto needs/);
  },
);

it('finds another server when the one that reads does nothing', async () => {
  await server.raw.call('REPLICAOF', '127.0.0.1', '1');
  await set('d', 'lost');
  expect(await server.raw.get('d')).toBeNull();
  await server.raw.call('REPLICAOF', 'NO', 'ONE');
  silent.reconnect();
  await succeeds(() => set('d', 'kept'));
  expect(await server.raw.get('d')).toBe('kept');
});
