// The prompts: Markdown files that are shipped here, and those of a repository above them. Read once, at start.

import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BantoError } from '../core/errors.ts';
import { parseTemplate, type Template, type Templates } from '../core/prompt/prompt-template.ts';
import { TASK_KINDS, type TaskKind } from '../core/task.ts';

const SHIPPED = import.meta.dirname;
const MOST_BYTES = 100_000;
const KNOWN = TASK_KINDS.map((kind) => `${kind}.md`);

export interface PromptFolder {
  /** Absolute. */
  readonly path: string;
  /** Somebody named it, so it has to be there. */
  readonly isNamed: boolean;
}

function read(path: string): Template {
  const entry = lstatSync(path);
  // A link could show a file from outside the repository to an agent.
  if (!entry.isFile()) {
    throw new BantoError('misconfigured', `${path} must be a plain file, not a link or a folder.`);
  }
  if (entry.size > MOST_BYTES) {
    throw new BantoError('misconfigured', `${path} is too long: at most ${MOST_BYTES} bytes.`);
  }
  return parseTemplate(readFileSync(path, 'utf8'), path);
}

function namesIn({ path, isNamed }: PromptFolder): string[] {
  try {
    return readdirSync(path).filter((name) => name.endsWith('.md') && name !== 'README.md');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !isNamed) return [];
    throw new BantoError(
      'misconfigured',
      `The prompts in ${path} cannot be read (${code}). Make that folder, or change PROMPTS_DIR.`,
      { cause: error },
    );
  }
}

function strayProblem(folder: PromptFolder, name: string): BantoError {
  return new BantoError(
    'misconfigured',
    `${join(folder.path, name)} is no prompt: the files are ${KNOWN.join(', ')} (and README.md, which is not read).`,
  );
}

export function loadPrompts(folder: PromptFolder | null = null): Templates {
  const own = folder === null ? [] : namesIn(folder);
  const stray = own.find((name) => !KNOWN.includes(name));
  if (folder !== null && stray !== undefined) throw strayProblem(folder, stray);
  const templates = TASK_KINDS.map((kind): [TaskKind, Template] => {
    const name = `${kind}.md`;
    const path = folder !== null && own.includes(name) ? folder.path : SHIPPED;
    return [kind, read(join(path, name))];
  });
  return Object.fromEntries(templates) as Record<TaskKind, Template>;
}

export interface PromptsExamined {
  /** The names of the files that replace shipped prompts. */
  readonly own: readonly string[];
  /** A sentence for each file that would stop the start. */
  readonly problems: readonly string[];
}

/** Everything that is wrong with a folder of prompts at once, for a person who wants to correct it. */
export function examinePrompts(folder: PromptFolder): PromptsExamined {
  const names = namesIn(folder);
  const problems = names.flatMap((name) => {
    try {
      if (!KNOWN.includes(name)) throw strayProblem(folder, name);
      read(join(folder.path, name));
      return [];
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  });
  return { own: names.filter((name) => KNOWN.includes(name)), problems };
}
