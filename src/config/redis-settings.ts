// The settings of the Redis store: where it is, how to speak to it, what its keys look like.

import { list, type Setting, text, wholeNumber, yesOrNo } from './setting.ts';
import { hostName, path, token } from './words.ts';

const nodes = (what: string) =>
  list(
    `${what} as host:port, several by comma`,
    '^(?:[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+\\])(?::\\d{1,5})?$',
    {
      minItems: 1,
      maxLength: 255,
    },
  );
const keyPattern = (end: string, parts: string, about: string) => ({
  kind: text(
    `a pattern of key parts${parts} that ends in ${end}`,
    `^[^\\s*?\\[\\]]*${end.replaceAll(/[{}]/g, '\\$&')}$`,
    200,
  ),
  about,
});
const seconds = wholeNumber(1, 3650 * 86_400);

export const REDIS_SETTINGS: readonly Setting[] = [
  {
    name: 'REDIS_URL',
    kind: text(
      'an address that begins with redis://, rediss://, redis+sentinel:// or redis+cluster://',
      '^rediss?(?:\\+(?:sentinel|cluster))?://[^\\s]+$',
    ),
    secret: true,
    about: 'Redis as the store instead of SQLite; `rediss` means TLS.',
  },
  {
    name: 'REDIS_HOST',
    kind: hostName,
    about: 'The same, by host; not together with REDIS_URL.',
  },
  {
    name: 'REDIS_PORT',
    kind: wholeNumber(1, 65_535),
    fallback: 6379,
    about: 'Used with REDIS_HOST.',
  },
  {
    name: 'REDIS_DB',
    kind: wholeNumber(0, 65_535),
    fallback: 0,
    about: 'The database; a number in REDIS_URL counts unless this is set. A Cluster has only 0.',
  },
  {
    name: 'REDIS_SENTINELS',
    kind: nodes('Sentinels'),
    about: 'Redis by its Sentinels, instead of REDIS_URL and REDIS_HOST.',
  },
  {
    name: 'REDIS_SENTINEL_NAME',
    kind: text('the name of a primary, without spaces and slashes', '^[^\\s/?#]+$', 255),
    fallback: 'mymaster',
    about: 'What the Sentinels call the primary.',
  },
  {
    name: 'REDIS_SENTINEL_USERNAME',
    kind: token,
    about: 'Where the Sentinels themselves ask for one.',
  },
  { name: 'REDIS_SENTINEL_PASSWORD', kind: token, secret: true, about: 'The same.' },
  {
    name: 'REDIS_CLUSTER',
    kind: nodes('nodes of the Cluster'),
    about: 'A Redis Cluster, instead of REDIS_URL and REDIS_HOST. All keys live in one slot.',
  },
  { name: 'REDIS_USERNAME', kind: token, about: 'The ACL user; docs/redis.md has its rights.' },
  { name: 'REDIS_PASSWORD', kind: token, secret: true, about: 'Its password.' },
  {
    name: 'REDIS_TLS',
    kind: yesOrNo(),
    fallback: false,
    about: 'TLS where no URL says so; certificates are always checked.',
  },
  {
    name: 'REDIS_TLS_CA',
    kind: path,
    path: true,
    about: "The file with the authority's certificate (PEM), where the system does not know it.",
  },
  {
    name: 'REDIS_TLS_CERT',
    kind: path,
    path: true,
    about: "The file with Banto's own certificate (PEM), where Redis asks for one.",
  },
  { name: 'REDIS_TLS_KEY', kind: path, path: true, about: 'The file with its private key (PEM).' },
  {
    name: 'REDIS_REPLICA_URL',
    kind: text('an address that begins with redis:// or rediss://', '^rediss?://[^\\s]+$'),
    secret: true,
    about: 'Waiting requests are read here; what is missing there is read from the primary.',
  },
  {
    name: 'REDIS_NAMESPACE',
    kind: text('letters, digits, ".", "_" and "-"', '^[A-Za-z0-9][A-Za-z0-9._-]*$', 64),
    fallback: 'banto',
    about: 'What every key in Redis begins with.',
  },
  {
    name: 'REDIS_KEY_ISSUE',
    ...keyPattern('{number}', ' with {type}', 'Keys of issues; default `issue:{type}:{number}`.'),
  },
  {
    name: 'REDIS_KEY_PROCESS',
    ...keyPattern('{id}', ' with {type}', 'Keys of agents; default `process:{type}:{id}`.'),
  },
  {
    name: 'REDIS_KEY_QUEUE',
    ...keyPattern('{priority}', '', 'Keys of queues; default `queue:{priority}`.'),
  },
  {
    name: 'REDIS_KEY_STATS',
    ...keyPattern(
      ':{date}',
      ' with {category} and {period}',
      'Keys of statistics; default `stats:{category}:{period}:{date}`.',
    ),
  },
  {
    name: 'REDIS_CHANNEL_EVENTS',
    ...keyPattern('{type}', '', 'The channel of events; default `channel:events:{type}`.'),
  },
  {
    name: 'REDIS_TTL_HEARTBEAT',
    kind: seconds,
    fallback: 1800,
    about: 'Seconds after which a silent agent is not active.',
  },
  {
    name: 'REDIS_TTL_TEMP_DATA',
    kind: seconds,
    fallback: 3600,
    about: "Seconds that instances' metrics are kept.",
  },
  {
    name: 'REDIS_TTL_STATS',
    kind: seconds,
    fallback: 604_800,
    about: 'Seconds that statistics are kept.',
  },
];
