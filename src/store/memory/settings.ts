// Run-time settings. Values are JSON.

import { changeSetting } from '../../core/decide/setting.ts';
import type { Settings } from '../../core/store.ts';
import type { Steps } from './group-commit.ts';

export function createSettings({ read, write }: Pick<Steps, 'read' | 'write'>): Settings {
  return {
    settings: (prefix) =>
      read((_now, { settings }) => {
        const found = [...settings].filter(([name]) => name.startsWith(prefix));
        return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
      }),
    putSetting: (name, value, asked) =>
      write((turn, { settings, buckets }, { now }) => {
        const before = settings.has(name) ? JSON.stringify(settings.get(name)) : null;
        const change = changeSetting(name, before, value, asked);
        if (change === null) return;
        const { json, pauses, fact } = change;
        turn.putSetting(name, json === null ? undefined : (JSON.parse(json) as unknown));
        if (pauses !== null) buckets.repaused();
        turn.append(fact, now);
      }),
  };
}
