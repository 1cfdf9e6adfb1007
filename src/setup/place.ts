// Reads and writes the few files of a project or a home folder. Nothing is written before everything is planned, and
// a link never leads a write out of the project.

import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { BantoError } from '../core/errors.ts';

export interface FileChange {
  /** Relative to the place. */
  readonly path: string;
  readonly what: 'create' | 'change' | 'delete';
}

export interface Place {
  /** The text as it will be; null: there is no such file. */
  read(path: string): string | null;
  /** Null deletes. Kept until `write`. */
  put(path: string, text: string | null): void;
  changes(): FileChange[];
  write(): void;
}

/** The file that a path means, through links; its last parts need not exist. */
function realPath(path: string): string {
  if (existsSync(path) || dirname(path) === path) return realpathSync(path);
  return join(realPath(dirname(path)), basename(path));
}

function refuse(path: string, problem: string, cause?: unknown): BantoError {
  return new BantoError('misconfigured', `${path} ${problem}. Nothing was changed.`, { cause });
}

/** `anywhere`: links may lead elsewhere, as they do in a home folder that is kept in a repository. */
export function openPlace(root: string, links: 'inside' | 'anywhere'): Place {
  const home = realpathSync(root);
  const before = new Map<string, string | null>();
  const after = new Map<string, string | null>();

  function locate(path: string): string {
    const real = realPath(join(home, path));
    if (links === 'inside' && !real.startsWith(home + sep)) {
      throw refuse(path, 'is a link that leads out of this folder');
    }
    return real;
  }

  function load(path: string): string | null {
    const real = locate(path);
    const known = before.get(real);
    if (known !== undefined) return known;
    let text: string | null = null;
    try {
      text = readFileSync(real, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') throw refuse(path, `cannot be read (${code})`, error);
    }
    before.set(real, text);
    return text;
  }

  const changed = () => [...after].filter(([real, text]) => text !== before.get(real));

  return {
    read(path) {
      const now = after.get(locate(path));
      return now === undefined ? load(path) : now;
    },
    put(path, text) {
      load(path);
      after.set(locate(path), text);
    },
    changes: () =>
      changed().map(([real, text]) => ({
        path: relative(home, real),
        what: text === null ? 'delete' : before.get(real) === null ? 'create' : 'change',
      })),
    write() {
      for (const [real, text] of changed()) {
        if (text === null) removeWithEmptyFolders(real, home);
        else replace(real, text);
      }
    },
  };
}

/** In one step: whoever reads the file meanwhile sees the old text or the new one. */
function replace(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  const draft = `${path}.banto-${process.pid}`;
  writeFileSync(draft, text, mode === undefined ? {} : { mode: mode & 0o777 });
  renameSync(draft, path);
}

function removeWithEmptyFolders(path: string, root: string): void {
  rmSync(path, { force: true });
  for (let folder = dirname(path); folder.startsWith(root + sep); folder = dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch {
      // Something else is in it.
      return;
    }
  }
}
