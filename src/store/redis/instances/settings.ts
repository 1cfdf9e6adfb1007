// Run-time settings. Values are JSON, each under its own key, so that people can read and set them too.

import { changeSetting } from '../../../core/decide/setting.ts';
import type { Settings } from '../../../core/store.ts';
import type { Parts } from '../parts.ts';
import { factLine } from '../rows/fact-lines.ts';
import { type ListChange, listsOnly } from '../rows/step-arguments.ts';

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
    async putSetting(name, value, asked) {
      const key = keys.setting(name);
      const change = changeSetting(name, await link.send('GET', key), value, asked);
      if (change === null) return;
      const { json, pauses, fact } = change;
      const lists: ListChange[] = [
        json === null ? ['DEL', key] : ['SET', key, json],
        [json === null ? 'SREM' : 'SADD', settings_names, name],
      ];
      if (pauses !== null) {
        lists.push([pauses.paused ? 'SADD' : 'SREM', maintenance_paused, pauses.name]);
        lists.push(['HINCRBY', meta, 'registry_version', '1']);
      }
      await steps.change({ ...listsOnly(lists), facts: [factLine(fact)] });
    },
  };
}
