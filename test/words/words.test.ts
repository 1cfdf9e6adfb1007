// The words of everything that is written here, comments and pages included: of today, and about this project alone.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const FILES = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => /\.(?:ts|tsx|js|json|lua|sql|sh|md|css|html|ya?ml)$/.test(file))
  .filter((file) => !/^package-lock|fixtures\/|github-schemas\.json|words\.test\.ts$/.test(file))
  .filter((file) => existsSync(join(ROOT, file)));

function linesWith(pattern: RegExp): string[] {
  return FILES.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line}`] : [])),
  );
}

it('no word is older than its readers', () => {
  expect(FILES.length).toBeGreaterThan(500);
  expect(linesWith(/\b(?:amiss|anew|mend|mended|mends|whilst|thereof)\b/i)).toEqual([]);
});

it('one word means one thing: what engineers search for', () => {
  const odd = /\b(?:turnstile|echoes|relook|ofTheLiving|last_?words|createKnown)\b/i;
  expect(linesWith(odd)).toEqual([]);
});

it('no document is named that is not here', () => {
  expect(
    linesWith(/\bSPEC\b|\bthe specification\b|\bseed 00\d|\bthe seeds\b|\b[Ss]ection \d/),
  ).toEqual([]);
});
