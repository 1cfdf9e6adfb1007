// Statements live in `sql/<verb>.sql`, each under a `-- name:` line. Loading checks both ways, so that
// a statement nobody uses or a name nobody wrote stops the start, not a request.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { BantoError } from '../../core/errors.ts';

export const SQL_DIR = join(import.meta.dirname, 'sql');

function parseStatements(text: string): Map<string, string> {
  const [, ...parts] = text.split(/^-- name: /m);
  return new Map(
    parts.map((part) => {
      const end = part.indexOf('\n');
      return [part.slice(0, end).trim(), part.slice(end + 1)];
    }),
  );
}

export function loadStatements<Name extends string>(
  db: DatabaseSync,
  file: string,
  names: readonly Name[],
): Record<Name, StatementSync> {
  const texts = parseStatements(readFileSync(join(SQL_DIR, `${file}.sql`), 'utf8'));
  const known: readonly string[] = names;
  const wrong = [
    ...known.filter((name) => !texts.has(name)),
    ...[...texts.keys()].filter((name) => !known.includes(name)),
  ];
  if (wrong.length > 0) {
    throw new BantoError(
      'internal',
      `sql/${file}.sql and its caller differ on: ${wrong.join(', ')}`,
    );
  }
  return Object.fromEntries(
    names.map((name) => [name, db.prepare(texts.get(name) ?? '')]),
  ) as Record<Name, StatementSync>;
}

const ROWS_AT_ONCE = 16;

/** The same statement for many rows at once: `one` ends with the places of a row. The values of all rows in a row. */
export function inBatches(
  db: DatabaseSync,
  one: StatementSync,
): (values: readonly SQLInputValue[]) => void {
  const sql = one.sourceSQL.slice(0, one.sourceSQL.lastIndexOf(')') + 1);
  const places = sql.slice(sql.lastIndexOf('('));
  const many = db.prepare(sql + `, ${places}`.repeat(ROWS_AT_ONCE - 1));
  const width = places.split('?').length - 1;
  return (values) => {
    let at = 0;
    for (let next = ROWS_AT_ONCE * width; next <= values.length; next += ROWS_AT_ONCE * width) {
      many.run(...values.slice(at, next));
      at = next;
    }
    for (; at < values.length; at += width) one.run(...values.slice(at, at + width));
  };
}
