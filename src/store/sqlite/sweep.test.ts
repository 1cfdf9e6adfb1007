import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { scratchDir } from '../../../test/support/scratch.ts';
import { openDatabase } from './database.ts';
import { SQL_DIR } from './statements.ts';

let dataDir: string;
let db: DatabaseSync;
beforeEach(() => {
  dataDir = scratchDir();
  db = openDatabase(dataDir);
});
afterEach(() => {
  db.close();
  rmSync(dataDir, { recursive: true });
});

/** How SQLite means to find the rows of each statement of a file. */
function plansOf(file: string): string[] {
  const text = readFileSync(join(SQL_DIR, `${file}.sql`), 'utf8');
  return text
    .split(/^-- name: /m)
    .slice(1)
    .flatMap((part) => {
      const name = part.slice(0, part.indexOf('\n'));
      const sql = part.slice(part.indexOf('\n'));
      const places = sql.match(/\?/g)?.length ?? 0;
      const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(places).fill(0));
      return rows.map((row) => `${name}: ${String(row['detail'])}`);
    });
}

// It runs every second: what has ended, in whatever number, must not make it slower.
test('a sweep never walks all tasks or issues, and a start only those that live', () => {
  const plans = [...plansOf('forget'), ...plansOf('living')];
  expect(plans.filter((plan) => /SCAN (tasks|issues|work|i|w|t)(?! USING)\b/.test(plan))).toEqual(
    [],
  );
  expect(plans.length).toBeGreaterThan(10);
});
