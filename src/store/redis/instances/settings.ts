// Run-time settings. Values are JSON, each under its own key, so that people can read and set them too.

import { byHand } from '../../../core/facts.ts';
import { pausedName } from '../../../core/pairing/paused.ts';
import type { Settings } from '../../../core/store.ts';
import type { Parts } from '../parts.ts';
import { factLine } from '../rows/fact-lines.ts';
import { type ListChange, listsOnly } from '../rows/step-arguments.ts';

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

export function createSettings({ link, keys, steps }: Parts): Settings {
  const { settings_names, maintenance_paused, meta } = keys.at;
  return {
    async settings(prefix) {
      const listed = await link.send<string[]>('SMEMBERS', settings_names);
      const names = [...new Set([...listed, ...FLAGS])]
        .filter((name) => name.startsWith(prefix))
        .sort();
      if (names.length === 0) return new Map();
      const values = await link.send<(string | null)[]>('MGET', ...names.map(keys.setting));
      return new Map(
        names.flatMap((name, index): [string, unknown][] => {
          const value = values[index] ?? null;
          return value === null ? [] : [[name, parse(value)]];
        }),
      );
    },
    async putSetting(name, value, asked = {}) {
      const json = value === null || value === undefined ? null : JSON.stringify(value);
      const key = keys.setting(name);
      if ((await link.send('GET', key)) === json) return;
      const lists: ListChange[] =
        json === null
          ? [
              ['DEL', key],
              ['SREM', settings_names, name],
            ]
          : [
              ['SET', key, json],
              ['SADD', settings_names, name],
            ];
      const paused = pausedName(name);
      if (paused !== null) {
        // Rankings from before are stale.
        lists.push([json === 'true' ? 'SADD' : 'SREM', maintenance_paused, paused]);
        lists.push(['HINCRBY', meta, 'registry_version', '1']);
      }
      const shown = name.startsWith(SECRET_PREFIX) ? null : (value ?? null);
      const fact = factLine({ type: 'setting_changed', name, value: shown, ...byHand(asked) });
      await steps.change({ ...listsOnly(lists), facts: [fact] });
    },
  };
}
