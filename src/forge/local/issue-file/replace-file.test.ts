import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFile, replaceFile } from './replace-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'banto-replace-'));
  path = join(folder, 'file');
  writeFileSync(path, 'one\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

const text = () => readFileSync(path, 'utf8');
const mark = (bytes: Buffer) =>
  bytes.toString().startsWith('+') ? bytes : Buffer.from(`+${bytes.toString()}`);

/** Does something as soon as the file has been replaced, while `replaceFile` still looks after late writers. */
function onceReplaced(work: () => void): Promise<void> {
  const { ino } = statSync(path);
  return new Promise((resolve) => {
    const look = () => {
      if (statSync(path).ino === ino) {
        setImmediate(look);
        return;
      }
      work();
      resolve();
    };
    look();
  });
}

describe('replaceFile', () => {
  it('replaces the file by another and leaves nothing beside it', async () => {
    await replaceFile(path, mark);
    expect(text()).toBe('+one\n');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it.each([
    ['in place', () => appendFileSync(path, 'two\n')],
    [
      'by rename',
      () => {
        writeFileSync(join(folder, 'new'), 'one\ntwo\n');
        renameSync(join(folder, 'new'), path);
      },
    ],
  ])('asks again when the file is saved %s between reading and writing', async (_way, save) => {
    let asked = 0;
    await replaceFile(path, (bytes) => {
      asked += 1;
      if (asked === 1) save();
      return mark(bytes);
    });
    expect(asked).toBe(2);
    expect(text()).toBe('+one\ntwo\n');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('carries over what an editor appends to the file that it had opened before', async () => {
    const editor = openSync(path, 'a');
    const late = onceReplaced(() => writeSync(editor, 'two\n'));
    await replaceFile(path, mark);
    await late;
    closeSync(editor);
    expect(text()).toBe('+one\ntwo\n');
  });

  it('carries over a whole save into the file that an editor had opened before', async () => {
    const editor = openSync(path, 'r+');
    const late = onceReplaced(() => {
      ftruncateSync(editor, 0);
      writeSync(editor, 'three\n', 0);
    });
    await replaceFile(path, mark);
    await late;
    closeSync(editor);
    expect(text()).toBe('+three\n');
  });

  it('keeps both a late append and one that came after it', async () => {
    const editor = openSync(path, 'a');
    const late = onceReplaced(() => {
      writeSync(editor, 'two\n');
      appendFileSync(path, 'three\n');
    });
    await replaceFile(path, mark);
    await late;
    closeSync(editor);
    expect(text()).toBe('+one\ntwo\nthree\n');
  });

  it('lets the newest of two whole saves count', async () => {
    const editor = openSync(path, 'r+');
    const late = onceReplaced(() => {
      writeSync(editor, 'older\n', 0);
      writeFileSync(path, 'newest\n');
    });
    await replaceFile(path, mark);
    await late;
    closeSync(editor);
    expect(text()).toBe('newest\n');
  });

  it('gives up with the word busy on a file that never rests', async () => {
    let count = 0;
    const restless = (bytes: Buffer) => {
      count += 1;
      appendFileSync(path, `${count}\n`);
      return mark(bytes);
    };
    await expect(replaceFile(path, restless)).rejects.toMatchObject({ code: 'busy' });
    expect(text().startsWith('one\n1\n2\n')).toBe(true);
    expect(readdirSync(folder)).toEqual(['file']);
  });
});

describe('createFile', () => {
  it('never replaces what is there', async () => {
    expect(await createFile(path, Buffer.from('other'))).toBe(false);
    expect(text()).toBe('one\n');
    expect(await createFile(join(folder, 'b'), Buffer.from('other'))).toBe(true);
    expect(readdirSync(folder)).toEqual(['b', 'file']);
  });
});
