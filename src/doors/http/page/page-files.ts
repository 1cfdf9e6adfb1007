// Where the page's files are. A package brings them built. A clone builds them when the page is first asked
// for, in a process of its own, and keeps them until their sources change.

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { BantoError } from '../../../core/errors.ts';

export interface PageFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

/** By name: `index.html` and what stands in `assets/`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const BUILD = fileURLToPath(new URL('../../../../scripts/build-dashboard.ts', import.meta.url));
const BUILT = fileURLToPath(new URL('../../../dashboard/', import.meta.url));
const IS_CLONE = import.meta.url.endsWith('.ts');
const BUILD_MS = 120_000;

const run = promisify(execFile);

async function folder(): Promise<string> {
  if (!IS_CLONE) return BUILT;
  const { stdout } = await run(process.execPath, [BUILD, '--cached'], { timeout: BUILD_MS });
  return stdout.trim();
}

function read(dir: string, prefix = ''): [string, PageFile][] {
  return readdirSync(join(dir, prefix), { withFileTypes: true }).flatMap((entry) => {
    const name = `${prefix}${entry.name}`;
    if (entry.isDirectory()) return read(dir, `${name}/`);
    const type = TYPES[extname(name)];
    if (type === undefined) return [];
    const plain = readFileSync(join(dir, name));
    return [[name, { type, plain, gzipped: gzipSync(plain, { level: 9 }) }]];
  });
}

async function load(): Promise<PageFiles> {
  try {
    return new Map(read(await folder()));
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    const why = (stderr ?? (error instanceof Error ? error.message : String(error))).trim();
    throw new BantoError(
      'busy',
      `The page could not be built. Run "npm ci" in the clone and try again. ${why.slice(0, 2000)}`,
      { cause: error },
    );
  }
}

/** Read once; after a failure the next one who asks tries again. */
export function createPageFiles(): () => Promise<PageFiles> {
  let files: Promise<PageFiles> | null = null;
  return () => {
    files ??= load().catch((error: unknown) => {
      files = null;
      throw error;
    });
    return files;
  };
}
