// Holds every import, dynamic ones and files found by their URL included, against the table beside this file.

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FILES_BY_URL, IMPORT_BY_URL, MAY_USE, PACKAGE_FOLDERS, PURE } from './import-table.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const entries = Object.keys(MAY_USE).sort((a, b) => b.length - a.length);

const within = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/** The entry of the table that a path belongs to. */
function ownerOf(path: string): string | undefined {
  return entries.find((entry) => within(path, entry));
}

const named = (path: string) => path.replace(/^src\//, '');

interface Import {
  readonly file: string;
  readonly target: string;
  /** `new URL('…', import.meta.url)`: an import by address, or a file that is read. */
  readonly byUrl: boolean;
}

const BY_URL = /\bnew URL\(\s*['"`]([^'"`]+)['"`],\s*import\.meta\.url/g;
const IMPORTS = [
  /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s+['"]([^'"]+)['"]/g,
  /(?:^|\n)\s*import\s+['"]([^'"]+)['"]/g,
  /\bimport\(\s*['"`]([^'"`]+)['"`]\s*[,)]/g,
  BY_URL,
];

function importsIn(file: string, text: string): Import[] {
  return IMPORTS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, target = '']) => ({
      file,
      target,
      byUrl: pattern === BY_URL,
    })),
  );
}

const files = globSync(['src/**/*.{ts,tsx}', 'github-double/**/*.ts'], { cwd: ROOT }).filter(
  (file) => !file.endsWith('.test.ts'),
);
const texts = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
const imports = [...texts].flatMap(([file, text]) => importsIn(file, text));

/** The imports that the table does not allow. */
function notAllowed(found: readonly Import[]): string[] {
  return found
    .filter(({ target }) => target.startsWith('.'))
    .map(({ file, target, byUrl }) => ({
      file: named(file),
      path: named(normalize(join(dirname(file), target)).replace(/\/$/, '')),
      byUrl,
    }))
    .filter(({ file, path, byUrl }) => {
      const readers = byUrl ? (FILES_BY_URL[path] ?? []) : [];
      if (readers.some((reader) => within(file, reader))) return false;
      const user = ownerOf(file);
      const used = ownerOf(path);
      if (user === undefined || used === undefined) return true;
      return used !== user && !(MAY_USE[user] ?? []).some((entry) => within(path, entry));
    })
    .map(({ file, path }) => `${file} → ${path}`);
}

/** Chains of imports that end where they began, each of them told once. */
function cyclesIn(found: readonly Import[]): string[] {
  const uses = new Map<string, string[]>();
  for (const { file, target } of found) {
    if (!target.startsWith('.')) continue;
    uses.set(file, [...(uses.get(file) ?? []), normalize(join(dirname(file), target))]);
  }
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, chain: readonly string[]): void => {
    const at = chain.indexOf(file);
    if (at >= 0) cycles.push([...chain.slice(at), file].map(named).join(' → '));
    if (at >= 0 || done.has(file)) return;
    for (const next of uses.get(file) ?? []) visit(next, [...chain, file]);
    done.add(file);
  };
  for (const file of [...uses.keys()].sort()) visit(file, []);
  return cycles;
}

/** Packages that come with a file, directly or by way of others; not those that are loaded when they are needed. */
function packagesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const targets = [
    ...(texts.get(file) ?? '').matchAll(
      /(?:^|\n)(?:import|export)\s(?!type\b)(?:[^'"]*?from\s+)?['"]([^'"]+)['"]/g,
    ),
  ].map(([, target = '']) => target);
  return targets.flatMap((target) =>
    target.startsWith('.')
      ? packagesOf(normalize(join(dirname(file), target)), seen)
      : packageName(target),
  );
}

function packageName(target: string): string {
  const parts = target.split('/');
  return target.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '');
}

describe('the import table', () => {
  it('has an entry for every file', () => {
    expect(files.map(named).filter((file) => ownerOf(file) === undefined)).toEqual([]);
  });

  it('has no entry for what is not there', () => {
    const used = Object.values(MAY_USE).flat();
    const all = files.map(named);
    expect(
      [...entries, ...used].filter((entry) => !all.some((file) => within(file, entry))),
    ).toEqual([]);
  });

  it('lets nothing use what it does not allow', () => {
    expect(notAllowed(imports)).toEqual([]);
  });

  it.each([
    ["import { pair } from '../broker/waiting/pairing.ts';", 'broker/waiting/pairing.ts'],
    ["export { pair } from '../broker/waiting/pairing.ts';", 'broker/waiting/pairing.ts'],
    ["import '../broker/waiting/pairing.ts';", 'broker/waiting/pairing.ts'],
    ["await import('../broker/waiting/pairing.ts');", 'broker/waiting/pairing.ts'],
    ["type Pair = import('../broker/waiting/pairing.ts').Pair;", 'broker/waiting/pairing.ts'],
    ["new URL('../../test/support/world.ts', import.meta.url);", 'test/support/world.ts'],
    ["new URL('../../github-double/double.ts', import.meta.url);", 'github-double/double.ts'],
  ])('sees %s in core', (line, path) => {
    expect(notAllowed(importsIn('src/core/task.ts', line))).toEqual([`core/task.ts → ${path}`]);
  });

  it('has no file that imports itself by way of others, be it only for a type or when it is needed', () => {
    const own = imports.filter(({ file }) => within(file, 'src'));
    expect(cyclesIn(own)).toEqual([]);
  });

  it.each([
    "import { b } from './b.ts';",
    "import type { B } from './b.ts';",
    "const b = await import('./b.ts');",
  ])('sees the circle that %s closes', (line) => {
    const circle = [
      ...importsIn('src/core/a.ts', line),
      ...importsIn('src/core/b.ts', "import { c } from '../c.ts';"),
      ...importsIn('src/c.ts', "export { a } from './core/a.ts';"),
    ];
    expect(cyclesIn(circle)).toEqual(['c.ts → core/a.ts → core/b.ts → c.ts']);
  });

  it('knows every file that imports an address it computed', () => {
    const computed = [...texts]
      .filter(([, text]) => /\bimport\(\s*[^'"`\s)]|\bimport\(\s*`[^`]*\$\{/.test(text))
      .map(([file]) => named(file));
    expect(computed).toEqual(IMPORT_BY_URL);
  });

  it('keeps every npm package in its folder', () => {
    const wrong = imports
      .filter(({ target }) => !target.startsWith('.') && !target.startsWith('node:'))
      .filter(({ file, target }) => {
        const folders = PACKAGE_FOLDERS[packageName(target)] ?? [];
        return !folders.some((folder) => within(named(file), folder));
      })
      .map(({ file, target }) => `${named(file)} → ${target}`);
    expect(wrong).toEqual([]);
  });

  it.each(['src/main.ts', 'src/compose/open-store.ts', 'src/store/sqlite/sqlite-store.ts'])(
    'starts a command quickly: %s brings no server and no client of Redis or GitHub',
    (file) => {
      const heavy = /^(?:fastify|ioredis|typebox|@octokit\/.*|@modelcontextprotocol\/server)$/;
      const heavyOf = (from: string) => packagesOf(from).filter((name) => heavy.test(name));
      expect(heavyOf('src/serve.ts')).toContain('fastify');
      expect(heavyOf('src/forge/github/github-forge.ts')).toContain('@octokit/core');
      expect(heavyOf('src/store/redis/redis-store.ts')).toContain('ioredis');
      expect(heavyOf(file)).toEqual([]);
    },
  );

  it('keeps the core pure: no await, no clock, no randomness, no input or output', () => {
    const impure = [...texts]
      .filter(([file]) => PURE.some((folder) => within(named(file), folder)))
      .filter(([, text]) => {
        const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
        return /\bawait\b|\bDate\.now\b|new Date\(\)|Math\.random|from 'node:|\bprocess\./.test(
          code,
        );
      })
      .map(([file]) => named(file));
    expect(impure).toEqual([]);
  });
});
