// SQLite or Redis, and how the settings of Redis make one connection.

import { refuseForeignAddress, WAYS } from './found-file.ts';
import type { Config, RedisConfig } from './shape.ts';
import { misconfigured, type Values } from './sources.ts';

/** Each of them alone chooses Redis. */
const PLACES = ['REDIS_URL', 'REDIS_HOST', 'REDIS_SENTINELS', 'REDIS_CLUSTER'];
const TLS_FILES = ['REDIS_TLS_CA', 'REDIS_TLS_CERT', 'REDIS_TLS_KEY'];

type Word = string | undefined;

/** Only what is set: an absent setting leaves the URL's own value alone. */
function given<T extends object>(values: Values, names: Record<keyof T & string, string>): T {
  const set = Object.entries<string>(names).filter(([, name]) => values.isSet(name));
  return Object.fromEntries(set.map(([key, name]) => [key, values.get(name)])) as T;
}

function addressOf(values: Values, tls: boolean): RedisConfig['connection'] {
  const scheme = tls ? 'rediss' : 'redis';
  const sentinels = values.get('REDIS_SENTINELS') as readonly string[] | undefined;
  if (sentinels !== undefined) {
    const name = encodeURIComponent(values.get('REDIS_SENTINEL_NAME') as string);
    return { url: `${scheme}+sentinel://${sentinels.join(',')}/${name}` };
  }
  const nodes = values.get('REDIS_CLUSTER') as readonly string[] | undefined;
  if (nodes !== undefined) return { url: `${scheme}+cluster://${nodes.join(',')}` };
  const url = values.get('REDIS_URL') as Word;
  if (url !== undefined) return { url };
  return { host: values.get('REDIS_HOST') as string, port: values.get('REDIS_PORT') as number };
}

function tlsOf(values: Values): RedisConfig['tls'] {
  const url = values.get('REDIS_URL') as Word;
  const on = url === undefined ? values.get('REDIS_TLS') === true : url.startsWith('rediss');
  const file = TLS_FILES.find((name) => values.isSet(name));
  if (!on && url !== undefined && values.get('REDIS_TLS') === true) {
    throw misconfigured('REDIS_TLS is on but REDIS_URL begins with redis; write rediss instead.');
  }
  if (!on && file !== undefined) {
    throw misconfigured(
      `${file} is set (${values.origin(file)}) but the connection to Redis is not TLS; set REDIS_TLS, or begin REDIS_URL with rediss.`,
    );
  }
  if (values.isSet('REDIS_TLS_CERT') !== values.isSet('REDIS_TLS_KEY')) {
    throw misconfigured('REDIS_TLS_CERT and REDIS_TLS_KEY belong together; set both or neither.');
  }
  if (!on) return null;
  const word = (name: string) => (values.get(name) as Word) ?? null;
  return {
    caFile: word('REDIS_TLS_CA'),
    certFile: word('REDIS_TLS_CERT'),
    keyFile: word('REDIS_TLS_KEY'),
  };
}

export function storeOf(values: Values): Config['store'] {
  const [first, second] = PLACES.filter((name) => values.isSet(name));
  if (first === undefined) return { kind: 'sqlite' };
  if (second !== undefined) {
    throw misconfigured(`${first} and ${second} are both set; keep one of them.`);
  }
  refuseForeignAddress(values, WAYS.redis);
  const tls = tlsOf(values);
  return {
    kind: 'redis',
    connection: {
      ...addressOf(values, tls !== null),
      ...given<RedisConfig['connection']>(values, {
        db: 'REDIS_DB',
        username: 'REDIS_USERNAME',
        password: 'REDIS_PASSWORD',
        sentinelUsername: 'REDIS_SENTINEL_USERNAME',
        sentinelPassword: 'REDIS_SENTINEL_PASSWORD',
        replicaUrl: 'REDIS_REPLICA_URL',
      } as Record<keyof RedisConfig['connection'], string>),
    },
    tls,
    namespace: values.get('REDIS_NAMESPACE') as string,
    keyPatterns: given<RedisConfig['keyPatterns']>(values, {
      issue: 'REDIS_KEY_ISSUE',
      process: 'REDIS_KEY_PROCESS',
      queue: 'REDIS_KEY_QUEUE',
      stats: 'REDIS_KEY_STATS',
      events: 'REDIS_CHANNEL_EVENTS',
    }),
    ttls: {
      heartbeat: values.get('REDIS_TTL_HEARTBEAT') as number,
      temp_data: values.get('REDIS_TTL_TEMP_DATA') as number,
      stats: values.get('REDIS_TTL_STATS') as number,
    },
  };
}
