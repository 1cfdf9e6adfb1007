// Run-time settings. Values are JSON.

import { byHand } from '../../core/facts.ts';
import { pausedName } from '../../core/pairing/paused.ts';
import type { Settings } from '../../core/store.ts';
import type { Steps } from './group-commit.ts';

// Facts are shown to everyone who reads events; a token's hash is nobody's business.
const SECRET_PREFIX = 'tokens:';

export function createSettings({ read, write }: Pick<Steps, 'read' | 'write'>): Settings {
  return {
    settings: (prefix) =>
      read((_now, { settings }) => {
        const found = [...settings].filter(([name]) => name.startsWith(prefix));
        return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
      }),
    putSetting: (name, value, asked = {}) =>
      write((turn, { settings, buckets }, { now }) => {
        const json = value === null || value === undefined ? undefined : JSON.stringify(value);
        const before = settings.get(name);
        if ((before === undefined ? undefined : JSON.stringify(before)) === json) return;
        turn.putSetting(name, json === undefined ? undefined : (JSON.parse(json) as unknown));
        if (pausedName(name) !== null) buckets.repaused();
        const shown = name.startsWith(SECRET_PREFIX) ? null : value;
        turn.append({ type: 'setting_changed', name, value: shown, ...byHand(asked) }, now);
      }),
  };
}
