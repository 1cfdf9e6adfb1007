// Run-time settings. Values are JSON, each under its own key, so that people can read and set them too.

import { byHand } from '../../../core/facts.ts';
import { pausedName } from '../../../core/pairing/paused.ts';
import type { Settings } from '../../../core/store.ts';
import type { Link } from '../connection/link.ts';
import type { Keys } from '../keys.ts';
import { factLine } from '../rows/fact-lines.ts';
import { type Steps } from '../rows/steps.ts';

// Facts are shown to everyone who reads events; a token's hash is nobody's business.
const SECRET_PREFIX = 'tokens:';
/** Known without being in the list of names: an operator may set them by hand. */
const FLAGS = ['flags:maintenance', 'flags:debug:enabled'];

/** What somebody set by hand may be no JSON: then it is a text. */
function parse(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

export function createSettings(link: Link, keys: Keys, steps: Steps): Settings {
  return {
    async settings(prefix) {
      const listed = (await link.send('SMEMBERS', keys.at.settings_names)) as string[];
      const names = [...new Set([...listed, ...FLAGS])]
        .filter((name) => name.startsWith(prefix))
        .sort();
      if (names.length === 0) return new Map();
      const values = (await link.send('MGET', ...names.map(keys.setting))) as (string | null)[];
      return new Map(
        names.flatMap((name, index): [string, unknown][] => {
          const value = values[index];
          return value === null || value === undefined ? [] : [[name, parse(value)]];
        }),
      );
    },
    async putSetting(name, value, asked = {}) {
      const json = value === null || value === undefined ? null : JSON.stringify(value);
      const key = keys.setting(name);
      const paused = pausedName(name);
      if ((await link.send('GET', key)) === json) return;
      const shown = name.startsWith(SECRET_PREFIX) ? null : (value ?? null);
      await steps.change({
        rows: [],
        lists: [
          // Rankings from before are stale.
          ...(paused === null
            ? []
            : ([
                [json === 'true' ? 'SADD' : 'SREM', keys.at.maintenance_paused, paused],
                ['HINCRBY', keys.at.meta, 'registry_version', '1'],
              ] as const)),
          ...(json === null
            ? ([
                ['DEL', key],
                ['SREM', keys.at.settings_names, name],
              ] as const)
            : ([
                ['SET', key, json],
                ['SADD', keys.at.settings_names, name],
              ] as const)),
        ],
        facts: [factLine({ type: 'setting_changed', name, value: shown, ...byHand(asked) })],
        until: null,
        places: null,
        filing: '',
        buckets: [],
        timed: false,
      });
    },
  };
}
