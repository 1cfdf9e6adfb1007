// Builds the page from src/dashboard: into dist/dashboard for the package, or, with --cached, into a folder that
// is kept until the sources change. Prints the folder.

import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = ['src/dashboard/**/*', 'src/client/*.ts', 'src/core/*.ts', 'src/doors/schema/*.ts'];
const CACHES = [join(ROOT, 'node_modules', '.cache'), tmpdir()];
const KEPT_MS = 86_400_000;

async function build(outDir: string): Promise<void> {
  // Vite builds for development wherever a test, or whoever starts Banto, has set this to something else.
  process.env['NODE_ENV'] = 'production';
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: join(ROOT, 'src', 'dashboard'),
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      // Inline files and helper scripts would break the page's own policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1000,
      rolldownOptions: {
        output: {
          // What every view needs in one file: it compresses better, and comes with one request.
          codeSplitting: {
            groups: [{ name: 'main', test: /preact|dashboard\/(?!views\/|charts\/|parts\/prose)/ }],
          },
        },
      },
    },
  });
}

function fingerprint(): string {
  const hash = createHash('sha256');
  const files = globSync(SOURCES, { cwd: ROOT }).filter((file) =>
    statSync(join(ROOT, file)).isFile(),
  );
  for (const file of [...files.sort(), 'package-lock.json', 'scripts/build-dashboard.ts']) {
    hash.update(`${file}\0`).update(readFileSync(join(ROOT, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** The first place that can be written to: a clone may be read-only. */
function cacheFolder(): string {
  for (const place of CACHES) {
    const folder = join(place, 'banto-dashboard');
    try {
      mkdirSync(folder, { recursive: true });
      return folder;
    } catch {
      // The next place.
    }
  }
  throw new Error(`Neither ${CACHES.join(' nor ')} can be written to.`);
}

function removeOld(cache: string, kept: string): void {
  for (const name of globSync('*', { cwd: cache })) {
    const path = join(cache, name);
    if (name !== kept && Date.now() - statSync(path).mtimeMs > KEPT_MS) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}

async function buildCached(): Promise<string> {
  const cache = cacheFolder();
  const name = fingerprint();
  const folder = join(cache, name);
  if (existsSync(join(folder, 'index.html'))) return folder;
  // Built beside and renamed, so that nobody reads half a page; who comes second uses the first one's.
  const fresh = `${folder}.${process.pid}`;
  await build(fresh);
  try {
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(join(folder, 'index.html'))) throw error;
  }
  removeOld(cache, name);
  return folder;
}

if (process.argv.includes('--cached')) {
  process.stdout.write(`${await buildCached()}\n`);
} else {
  const folder = join(ROOT, 'dist', 'dashboard');
  await build(folder);
  process.stdout.write(`${folder}\n`);
}
