// Run-time settings. Values are JSON, each under its own key, so that people can read and set them too.

import { pausedName } from '../../core/paused.ts';
import type { Settings } from '../../core/store.ts';
import type { Keys } from './keys.ts';
import type { Link } from './link.ts';

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

export function createSettings(link: Link, keys: Keys): Settings {
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
    async putSetting(name, value) {
      const json = value === null || value === undefined ? null : JSON.stringify(value);
      const shown = name.startsWith(SECRET_PREFIX) || json === null ? 'null' : json;
      const paused = pausedName(name);
      await link.run('settings.put', { name, key: keys.setting(name), value: json, shown, paused });
    },
  };
}
