// Run-time settings. Values are JSON.

import { pausedName } from '../../core/paused.ts';
import type { Settings } from '../../core/store.ts';
import type { Kit } from './kit.ts';
import { all, first, loadStatements } from './statements.ts';

// Facts are shown to everyone who reads events; a token's hash is nobody's business.
const SECRET_PREFIX = 'tokens:';

export function createSettings(kit: Kit): Settings {
  const sql = loadStatements(kit.db, 'settings', ['list', 'find', 'put', 'repaused', 'remove']);
  return {
    settings: (prefix) =>
      kit.read(() => {
        const rows = all<{ name: string; value: string }>(sql.list, { prefix });
        return new Map(rows.map((row) => [row.name, JSON.parse(row.value) as unknown]));
      }),
    putSetting: (name, value) =>
      kit.write((step) => {
        const json = value === null || value === undefined ? null : JSON.stringify(value);
        const before = first<{ value: string }>(sql.find, { name })?.value ?? null;
        if (before === json) return;
        if (json === null) sql.remove.run({ name });
        else sql.put.run({ name, value: json });
        if (pausedName(name) !== null) sql.repaused.run();
        const shown = name.startsWith(SECRET_PREFIX) ? null : value;
        step.append({ type: 'setting_changed', name, value: shown });
      }),
  };
}
