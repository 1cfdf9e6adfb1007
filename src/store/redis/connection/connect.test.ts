import { describe, expect, it } from 'vitest';
import { checkServer } from './check.ts';
import { type Client, targetOf } from './connect.ts';

describe('an address', () => {
  it.each([
    [
      'redis://127.0.0.1:7000/3',
      { mode: 'standalone', nodes: [{ host: '127.0.0.1', port: 7000 }], db: 3, tls: false },
    ],
    [
      'rediss://banto:p%40ss@redis.example',
      {
        mode: 'standalone',
        nodes: [{ host: 'redis.example', port: 6379 }],
        tls: true,
        username: 'banto',
        password: 'p@ss',
      },
    ],
    [
      'redis://:secret@[::1]:6380',
      { nodes: [{ host: '::1', port: 6380 }], password: 'secret', db: 0 },
    ],
    [
      'redis+sentinel://a:26379,b/tills/2',
      {
        mode: 'sentinel',
        primaryName: 'tills',
        db: 2,
        nodes: [
          { host: 'a', port: 26_379 },
          { host: 'b', port: 26_379 },
        ],
      },
    ],
    [
      'rediss+cluster://a:7000,b:7001',
      {
        mode: 'cluster',
        tls: true,
        nodes: [
          { host: 'a', port: 7000 },
          { host: 'b', port: 7001 },
        ],
      },
    ],
  ])('%s is understood', (url, expected) => {
    expect(targetOf({ url })).toMatchObject(expected);
  });

  it('may come in parts, over those of the URL', () => {
    expect(targetOf({ host: 'h', port: 1, db: 2 })).toMatchObject({
      nodes: [{ host: 'h', port: 1 }],
      db: 2,
    });
    expect(targetOf({ url: 'redis://h', username: 'u' })).toMatchObject({ username: 'u' });
  });

  it.each(['http://x', 'redis:/x', 'redis://', 'redis://h/x', 'redis://user:hunter2@/0'])(
    'that is none is refused without repeating its secrets: %s',
    (url) => {
      expect(() => targetOf({ url })).toThrow(/REDIS_URL/);
      expect(() => targetOf({ url })).not.toThrow(/hunter2/);
    },
  );
});

describe('the version', () => {
  /** Only what INFO says matters here; a Redis 6 is not to be had. */
  const saying = (server: string): Client =>
    ({
      call: async (_command: string, section: string) =>
        section === 'server' ? server : 'maxmemory_policy:noeviction\r\naof_enabled:1\r\n',
    }) as unknown as Client;

  it('is refused when it is too old, with the one that is needed', async () => {
    await expect(checkServer(saying('redis_version:6.2.14\r\n'), () => {})).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringMatching(/6\.2\.14.*Redis 7 or newer/),
    });
  });

  it.each(['redis_version:7.0.15\r\n', 'redis_version:7.2.4\r\nvalkey_version:8.1.0\r\n'])(
    'is taken when it is new enough: %j',
    async (server) => {
      await expect(checkServer(saying(server), () => {})).resolves.toBeUndefined();
    },
  );
});
