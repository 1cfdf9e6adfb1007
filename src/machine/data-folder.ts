// The folder that is Banto's own: nobody else may read it, and git does not see what is in it. People may commit
// `hooks` and `prompts` from it.

import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';

const OWN_FOLDER = '.banto';
const OWN_ENTRY = /^(?:\.gitignore|banto\.db.{0,20}|repository\.json|numbers|hooks|prompts)$/;
const IGNORED = `# What Banto keeps for itself. Hooks and prompts are yours to commit.
*
!hooks/
!hooks/**
!prompts/
!prompts/**
`;
/** What earlier versions wrote. */
const IGNORED_BEFORE = '*\n';

/** Throws the system's error where the folder cannot be made or written. */
export function prepareDataFolder(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  accessSync(dataDir, constants.W_OK | constants.X_OK);
  const isOwn =
    basename(dataDir) === OWN_FOLDER || readdirSync(dataDir).every((name) => OWN_ENTRY.test(name));
  // A folder that is used for other things too is not closed to those who use it.
  if (!isOwn) return;
  closeToOthers(dataDir, 0o700);
  hideFromGit(join(dataDir, '.gitignore'));
}

/** Another user's folder, or a file system without modes, is no reason to stop. */
export function closeToOthers(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!['ENOENT', 'EPERM', 'EROFS', 'ENOTSUP'].includes(code)) throw error;
  }
}

function hideFromGit(path: string): void {
  let before: string | null = null;
  try {
    before = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (before === null || before === IGNORED_BEFORE) writeFileSync(path, IGNORED);
}
