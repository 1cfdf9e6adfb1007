import { rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { scratchDir } from '../../../test/support/scratch.ts';
import { openDatabase } from './database.ts';
import { createWorkLog, type WorkLog } from './work-log.ts';

let dataDir: string;
let db: DatabaseSync;
let log: WorkLog;
beforeEach(() => {
  dataDir = scratchDir();
  db = openDatabase(dataDir);
  db.exec('BEGIN');
  db.exec(
    "INSERT INTO issues (seq, repository, number, row, picture) VALUES (1, 'o/r', 1, '', '')",
  );
  log = createWorkLog(db);
});
afterEach(() => {
  db.close();
  rmSync(dataDir, { recursive: true });
});

const issue = (closedAt: number | null) => ({ seq: 1, closedAt }) as never;
const put = (texts: readonly [number, string][], ...issues: never[]) =>
  log.write({ issues, work: texts });
const rows = () => (db.prepare('SELECT count(*) AS n FROM work').get() as { n: number }).n;

test('the last text of an issue holds, here and for whoever reads the file', () => {
  put([[1, 'a']], issue(null));
  log.kept();
  put([
    [1, 'b'],
    [2, 'c'],
  ]);
  log.kept();
  expect(log.textOf({ seq: 1, work: null })).toBe('b');
  const again = createWorkLog(db);
  expect(again.read().get(1)).toBe('b');
  expect(again.textOf({ seq: 1, work: null })).toBe('b');
});

test('what was taken back does not hold', () => {
  put([[1, 'a']], issue(null));
  log.kept();
  db.exec('SAVEPOINT s');
  put([[1, 'b']]);
  db.exec('ROLLBACK TO s');
  expect(log.textOf({ seq: 1, work: null })).toBe('a');
  put([[1, 'c']]);
  log.kept();
  expect(log.textOf({ seq: 1, work: null })).toBe('c');
});

test('the text of an issue that does not live any more lies with it, until it lives again', () => {
  put([[1, 'a']], issue(null));
  log.kept();
  const kept = () => db.prepare('SELECT work FROM issues').get() as { work: string | null };
  put([[1, 'b']], issue(7));
  log.kept();
  put([[1, 'c']]);
  log.kept();
  expect(kept()).toEqual({ work: 'c' });
  expect(rows()).toBe(1);
  put([[1, 'd']], issue(null));
  log.kept();
  expect(log.textOf({ seq: 1, work: null })).toBe('d');
});

test('outdated texts go, also those that an earlier process left', () => {
  put([[1, 'first']], issue(null));
  log.kept();
  for (let n = 0; n < 1500; n += 1) {
    put([[1, `text ${n}`]]);
    log.kept();
  }
  expect(rows()).toBe(1501);
  log = createWorkLog(db);
  log.read();
  let most = 0;
  for (let n = 0; n < 5000; n += 1) {
    put([[1, `later ${n}`]]);
    log.kept();
    most = Math.max(most, rows());
  }
  expect(most).toBeLessThan(4000);
  expect(createWorkLog(db).read()).toEqual(new Map([[1, 'later 4999']]));
});
