// One tool's files in one place: put there, taken away, or found there. What two tools share stays until the last of
// them is gone.

import { BantoError } from '../core/errors.ts';
import { FOREIGN, hasEntry, NotJson, putEntry, takeEntry } from './json-entry.ts';
import {
  BROKEN,
  hasBlock,
  MARKDOWN,
  type Marks,
  putBlock,
  TOML,
  takeBlock,
} from './marked-block.ts';
import type { Place } from './place.ts';
import { isOurs, sealed } from './skill-file.ts';
import type { FilesOfTool, ServerPlace } from './tools.ts';

const INSTRUCTIONS = `## Work from Banto

Banto hands out the work on this repository, each task to exactly one agent. Before you take a task, read the skill \`banto\`. \`banto prime\` says what you hold, how much time is left and what comes next.`;

export interface Asked {
  readonly place: Place;
  readonly files: FilesOfTool;
  /** The other tools of the same place. */
  readonly others: readonly FilesOfTool[];
  readonly skill: string;
  /** Told what was left as it is, in a sentence. */
  readonly note: (sentence: string) => void;
}

function pick(place: Place, names: readonly string[]): string {
  return names.find((name) => place.read(name) !== null) ?? names.at(-1) ?? '';
}

function serverFile(place: Place, server: ServerPlace): string {
  return server.kind === 'json' ? pick(place, server.files) : server.file;
}

/** A file that only sends the reader on to another one (`@AGENTS.md`) needs no block of its own. */
function instructionFile(place: Place, names: readonly string[]): string {
  const name = pick(place, names);
  const sendsOn = /^@(?:\.\/)?AGENTS\.md\s*$/m.test(place.read(name) ?? '');
  return sendsOn ? 'AGENTS.md' : name;
}

function skillFile({ skills }: FilesOfTool): string {
  return `${skills}/banto/SKILL.md`;
}

function refuseBroken(path: string, marks: Marks): BantoError {
  return new BantoError(
    'misconfigured',
    `${path} has one of the marks "${marks.begin}" and "${marks.end}" without the other, or more than once. Remove what is left of the block and run this again. Nothing was changed.`,
  );
}

function overJson<T>(path: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw new BantoError(
      'misconfigured',
      `${path} cannot be used: ${error.message}. Repair it and run this again. Nothing was changed.`,
      { cause: error },
    );
  }
}

function isSetUp(place: Place, { server }: FilesOfTool): boolean {
  const path = serverFile(place, server);
  const text = place.read(path);
  if (server.kind === 'toml') return hasBlock(text, TOML);
  return overJson(path, () => hasEntry(text, server.entry));
}

function putServer({ place, files: { server }, note }: Asked): void {
  const path = serverFile(place, server);
  const text = place.read(path);
  if (server.kind === 'json') {
    const put = overJson(path, () => putEntry(text, server.entry));
    if (put === FOREIGN) note(foreign(path));
    else place.put(path, put);
    const hiding = server.hiddenBy === undefined ? null : place.read(server.hiddenBy.file);
    if (server.hiddenBy === undefined || hiding === null) return;
    const { file, advice } = server.hiddenBy;
    if (!overJson(file, () => hasEntry(hiding, server.entry))) note(advice);
    return;
  }
  if (!hasBlock(text, TOML) && text?.includes(server.table) === true) return note(foreign(path));
  const put = putBlock(text, server.body, TOML);
  if (put === BROKEN) throw refuseBroken(path, TOML);
  place.put(path, put);
}

function foreign(path: string): string {
  return `${path} has an entry "banto" that is not Banto's own; it was left as it is.`;
}

function takeServer({ place, files: { server }, note }: Asked): void {
  const path = serverFile(place, server);
  const text = place.read(path);
  if (text === null) return;
  if (server.kind === 'json') {
    const left = overJson(path, () => takeEntry(text, server.entry));
    if (left === FOREIGN) note(foreign(path));
    else place.put(path, left);
    return;
  }
  const left = takeBlock(text, TOML);
  if (left === BROKEN) throw refuseBroken(path, TOML);
  place.put(path, left);
}

function putSkill({ place, files, skill, note }: Asked): void {
  const path = skillFile(files);
  const text = place.read(path);
  if (text === null || isOurs(text)) place.put(path, sealed(skill));
  else note(`${path} was changed by somebody; it was left as it is.`);
}

function takeSkill({ place, files, others, note }: Asked): void {
  const path = skillFile(files);
  const text = place.read(path);
  if (text === null) return;
  if (others.some((other) => skillFile(other) === path && isSetUp(place, other))) return;
  if (isOurs(text)) place.put(path, null);
  else note(`${path} was changed by somebody; it was left as it is.`);
}

function putInstructions({ place, files: { instructions } }: Asked): void {
  if (instructions === null) return;
  const path = instructionFile(place, instructions);
  const put = putBlock(place.read(path), INSTRUCTIONS, MARKDOWN);
  if (put === BROKEN) throw refuseBroken(path, MARKDOWN);
  place.put(path, put);
}

function takeInstructions({ place, files: { instructions }, others }: Asked): void {
  for (const path of new Set([...(instructions ?? []), 'AGENTS.md'])) {
    const text = place.read(path);
    const isNeeded = others.some(
      (other) =>
        other.instructions !== null &&
        isSetUp(place, other) &&
        instructionFile(place, other.instructions) === path,
    );
    if (text === null || isNeeded || instructions === null) continue;
    const left = takeBlock(text, MARKDOWN);
    if (left === BROKEN) throw refuseBroken(path, MARKDOWN);
    place.put(path, left);
  }
}

export function putFiles(asked: Asked): void {
  putServer(asked);
  putSkill(asked);
  putInstructions(asked);
}

export function takeFiles(asked: Asked): void {
  takeServer(asked);
  takeSkill(asked);
  takeInstructions(asked);
}
