// The `redis` block of the configuration file: namespace, names of keys and channels, times to live. Each entry is
// another way to write a setting of its own, `redis.keyPatterns.queue` for `redis_key_queue`.

import { fileKey, type Setting } from './setting.ts';

/** Where in the block → the setting's key in the file. */
const ENTRIES: ReadonlyMap<string, string> = new Map([
  ['namespace', 'redis_namespace'],
  ['keyPatterns.issue', 'redis_key_issue'],
  ['keyPatterns.process', 'redis_key_process'],
  ['keyPatterns.queue', 'redis_key_queue'],
  ['keyPatterns.stats', 'redis_key_stats'],
  ['channels.events', 'redis_channel_events'],
  ['ttl.heartbeat', 'redis_ttl_heartbeat'],
  ['ttl.tempData', 'redis_ttl_temp_data'],
  ['ttl.stats', 'redis_ttl_stats'],
]);

/** Channels of one agent: named for readers of the file. Their form is fixed, `{namespace}:channel:{agent}:requests`. */
const AGENT_CHANNEL = /^channels\.\w+(Requests|Responses)$/;

export interface Unfolded {
  readonly values: Readonly<Record<string, unknown>>;
  /** What is wrong with the block, ending a sentence that begins with its place; null: nothing. */
  readonly problem: string | null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function agentChannelProblem(place: string, value: unknown, namespace: unknown): string | null {
  const direction = place.endsWith('Requests') ? 'requests' : 'responses';
  const before = typeof namespace === 'string' ? namespace : 'banto';
  const parts = typeof value === 'string' ? value.split(':') : [];
  const right =
    parts.length === 4 &&
    parts[0] === before &&
    parts[1] === 'channel' &&
    parts[2] !== '' &&
    parts[3] === direction;
  if (right) return null;
  return `redis.${place} cannot be changed: the channel of an agent is ${before}:channel:{agent}:${direction}`;
}

export function unfoldRedisSection(section: unknown): Unfolded {
  const values: Record<string, unknown> = {};
  const failed = (problem: string): Unfolded => ({ values: {}, problem });
  if (!isObject(section)) return failed('redis must be an object');
  for (const [name, value] of Object.entries(section)) {
    const inner = isObject(value)
      ? Object.entries(value).map(([key, one]) => [`${name}.${key}`, one] as const)
      : [[name, value] as const];
    for (const [place, one] of inner) {
      const key = ENTRIES.get(place);
      if (key !== undefined) values[key] = one;
      else if (AGENT_CHANNEL.test(place)) {
        const problem = agentChannelProblem(place, one, section.namespace);
        if (problem !== null) return failed(problem);
      } else {
        return failed(
          `redis.${place} is not a setting; there are ${[...ENTRIES.keys()].join(', ')}`,
        );
      }
    }
  }
  return { values, problem: null };
}

/** For the shipped schema. */
export function redisSectionSchema(settings: readonly Setting[]): object {
  const groups: Record<string, Record<string, object>> = { '': {} };
  for (const [place, key] of ENTRIES) {
    const setting = settings.find((one) => fileKey(one) === key);
    if (setting === undefined) throw new Error(`there is no setting ${key}`);
    const [group = '', name] = place.includes('.') ? place.split('.') : ['', place];
    groups[group] = {
      ...groups[group],
      [name ?? '']: { ...setting.kind.schema, description: setting.about },
    };
  }
  const { '': plain = {}, ...nested } = groups;
  const object = (properties: object, extra: object) => ({ type: 'object', properties, ...extra });
  return object(
    {
      ...plain,
      ...Object.fromEntries(
        Object.entries(nested).map(([group, properties]) => [
          group,
          object(
            properties,
            group === 'channels'
              ? {
                  patternProperties: { '(Requests|Responses)$': { type: 'string' } },
                  additionalProperties: false,
                }
              : { additionalProperties: false },
          ),
        ]),
      ),
    },
    {
      description: 'Names of keys and channels, and times to live, in one block.',
      additionalProperties: false,
    },
  );
}
