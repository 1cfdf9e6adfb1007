// Run-time settings and flags: kept in the store, seen by every instance. Tokens are settings too.

import { BantoError } from '../../core/errors.ts';
import type { ByHand } from '../../core/facts.ts';
import {
  MAINTENANCE_FLAG,
  mayBePaused,
  pausedName,
  pausedSetting,
} from '../../core/pairing/paused.ts';
import { DEFAULT_POLICY, type Policy, policyProblem } from '../../core/settings.ts';
import type { Broker, Flags } from '../broker.ts';
import type { Context } from '../context.ts';
import { createTokens, type TokenVerbs } from './tokens.ts';

const CONFIG = 'config:broker:';
const FLAGS = { maintenance: MAINTENANCE_FLAG, debug: 'flags:debug:enabled' } as const;
const PAUSE = 'maintenance:';

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const KEYS = new Map(Object.keys(DEFAULT_POLICY).map((key) => [snake(key), key as keyof Policy]));

/** The setting behind a flag; null: there is no such flag. */
function settingOf(flag: string): string | null {
  if (Object.hasOwn(FLAGS, flag)) return FLAGS[flag as keyof typeof FLAGS];
  const name = flag.startsWith(PAUSE) ? flag.slice(PAUSE.length) : '';
  return mayBePaused(name) ? pausedSetting(name) : null;
}

export interface SettingsRoom
  extends TokenVerbs,
    Pick<Broker, 'config' | 'putConfig' | 'flags' | 'putFlag'> {
  /** The policy of the start, with the run-time settings over it. */
  policy(): Policy;
  /** Reads the store again; calls back where something changed. */
  reload(): Promise<void>;
  /** The same without forgetting living tokens: what was set by hand, or whose fact was missed. */
  refresh(): Promise<void>;
}

export function createSettings(
  store: Context['store'],
  newSecret: () => string,
  initial: Policy,
  changed: (policy: Policy, flags: Flags, before: { policy: Policy; flags: Flags }) => void,
): SettingsRoom {
  let policy = initial;
  let flags: Flags = { maintenance: false, debug: false, paused: [] };
  const tokens = createTokens(store, newSecret);

  async function reload(): Promise<void> {
    tokens.forget();
    await refresh();
  }

  async function refresh(): Promise<void> {
    await tokens.recheck();
    const stored = await store.settings(CONFIG);
    const next: Record<string, unknown> = { ...initial };
    for (const [name, value] of stored) {
      const key = KEYS.get(name.slice(CONFIG.length));
      if (key !== undefined && policyProblem(key, value) === null) next[key] = value;
    }
    const storedFlags = await store.settings('flags:');
    const before = { policy, flags };
    policy = next as unknown as Policy;
    flags = {
      maintenance: storedFlags.get(FLAGS.maintenance) === true,
      debug: storedFlags.get(FLAGS.debug) === true,
      paused: [...storedFlags].flatMap(([name, value]) =>
        value === true ? (pausedName(name) ?? []) : [],
      ),
    };
    changed(policy, flags, before);
  }

  async function putConfig(name: string, value: unknown, asked?: ByHand): Promise<Policy> {
    const key = KEYS.get(name);
    if (key === undefined) {
      throw new BantoError(
        'not_found',
        `There is no setting ${name}. There are: ${[...KEYS.keys()].join(', ')}.`,
      );
    }
    // Null takes a run-time setting back: the value of the start counts again.
    const problem = value === null ? null : policyProblem(key, value);
    if (problem !== null)
      throw new BantoError('invalid_request', `The setting ${name} ${problem}.`);
    await store.putSetting(`${CONFIG}${name}`, value, asked);
    await reload();
    return policy;
  }

  async function putFlag(name: string, value: unknown, asked?: ByHand): Promise<Flags> {
    const key = settingOf(name);
    if (key === null) {
      throw new BantoError(
        'not_found',
        `There is no flag ${name}. There are: maintenance, maintenance:{repository}, maintenance:{agent}, debug.`,
      );
    }
    if (typeof value !== 'boolean') {
      throw new BantoError('invalid_request', `The flag ${name} must be true or false.`);
    }
    // One that pauses nobody is not kept: their number is without bound.
    await store.putSetting(key, pausedName(key) !== null && !value ? null : value, asked);
    await reload();
    return flags;
  }

  return {
    policy: () => policy,
    reload,
    refresh,
    config: async () => policy,
    putConfig,
    flags: async () => flags,
    putFlag,
    createToken: tokens.createToken,
    tokens: tokens.tokens,
    revokeToken: tokens.revokeToken,
    whoIs: tokens.whoIs,
  };
}
