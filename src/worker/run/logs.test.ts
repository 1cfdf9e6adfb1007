import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { logName, openAttemptLog } from './attempt-log.ts';
import { findLogs, hasEnded, readLog } from './find-log.ts';
import { redactor } from './redact.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'banto-logs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const plain = (text: string) => text;

it('never grows past its size, and keeps the end', () => {
  const log = openAttemptLog(folder, 'a.1.log', plain, { mostBytes: 10_000 });
  for (let line = 0; line < 2000; line += 1) log.readable(`line ${line} ${'x'.repeat(40)}`);
  log.readable('y'.repeat(100_000));
  log.close();
  const size = statSync(log.path).size + statSync(`${log.path}.old`).size;
  expect(size).toBeLessThanOrEqual(10_000);
  expect(readLog(log.path).older).toContain('line 1999');
});

it('shows the end for the report of a failure', () => {
  const log = openAttemptLog(folder, 'a.1.log', plain);
  for (let line = 0; line < 500; line += 1) log.readable(`line ${line}`);
  expect(log.tail()).toMatch(/line 499$/);
  expect(log.tail(20)).toHaveLength(21);
  expect(log.tail()).not.toContain('line 100\n');
});

it('hands over what the server has not seen yet, once, with its place', () => {
  const log = openAttemptLog(folder, 'a.1.log', plain);
  log.readable('é1');
  const first = log.take();
  expect(first).toEqual({ offset: 0, text: 'é1\n' });
  log.readable('2');
  expect(log.take()).toEqual({ offset: 4, text: '2\n' });
  expect(log.take()).toBeNull();
  log.readable('3');
  const lost = log.take();
  if (lost !== null) log.giveBack(lost);
  log.readable('4');
  expect(log.take()).toEqual({ offset: 6, text: '3\n4\n' });
});

it('writes no secret, neither known ones nor those of a known shape', () => {
  const letters = 'a1'.repeat(12);
  const redact = redactor(['my-lease-token', null]);
  const log = openAttemptLog(folder, 'a.1.log', redact);
  log.readable(`token my-lease-token and ghp_${letters} and sk-ant-${letters}`);
  log.raw(`{"key":"github_pat_${letters}"}`);
  log.close();
  const all =
    readFileSync(log.path, 'utf8') + readFileSync(log.path.replace(/log$/, 'raw'), 'utf8');
  expect(all).toBe('token [secret] and [secret] and [secret]\n{"key":"[secret]"}\n');
});

it('is found by the task or by its issue, the newest attempt last', () => {
  const logs = join(folder, 'agents', 'w1', 'logs');
  for (const [task, fence] of [
    ['shop~7~implement.1', 5],
    ['shop~7~implement.1', 9],
    ['octo~shop~8~fix.1', 1],
  ] as const) {
    openAttemptLog(logs, logName(task, fence), plain).close();
  }
  const fences = (wanted: string) => findLogs(folder, wanted).map(({ fence }) => fence);
  expect(fences('shop~7~implement.1')).toEqual([5, 9]);
  expect(fences('7')).toEqual([5, 9]);
  expect(fences('#8')).toEqual([1]);
  expect(fences('octo/shop#8')).toEqual([1]);
  expect(fences('other/shop#8')).toEqual([]);
});

it('knows that an attempt is over', () => {
  expect(hasEnded('banto: starts\nhello\n')).toBe(false);
  expect(hasEnded('banto: starts\nbanto: completed: Added a file\nand more\n')).toBe(true);
});

it('keeps the logs of the last attempts only', () => {
  const fences = [1, 2, 3, 4, 5];
  for (const fence of fences) {
    const log = openAttemptLog(folder, logName('shop~7~fix.1', fence), plain, { kept: 3 });
    log.close();
    utimesSync(log.path, fence, fence);
  }
  const left = fences.filter((fence) => existsSync(join(folder, logName('shop~7~fix.1', fence))));
  expect(left).toEqual([3, 4, 5]);
});
