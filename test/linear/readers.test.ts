// Whatever reads a stranger's text is fed its worst, up to 1 MB, and the time for each doubling compared.

import { expect, it } from 'vitest';
import {
  branchFromBody,
  dependenciesFromBody,
  hasDeliverables,
} from '../../src/core/issue-text/body.ts';
import { isSafeRefName } from '../../src/core/issue-text/ref-name.ts';
import { parseTaskId } from '../../src/core/task.ts';
import { cleanLines, table } from '../../src/doors/cli/terminal/text.ts';
import { mentionsIn } from '../../src/forge/github/pulls/links.ts';
import { readComments } from '../../src/forge/local/issue-file/comments.ts';
import { editLabels } from '../../src/forge/local/issue-file/edit-labels.ts';
import { Malformed } from '../../src/forge/local/issue-file/front-matter.ts';
import { readIssueText } from '../../src/forge/local/issue-file/issue-file.ts';
import { redact } from '../../src/telemetry/telemetry.ts';
import { leastMs, superlinear } from '../support/growth.ts';

type Reader = (text: string) => unknown;

/** A refusal is an answer too. */
const orMalformed =
  (read: Reader): Reader =>
  (text) => {
    try {
      return read(text);
    } catch (error) {
      if (error instanceof Malformed) return null;
      throw error;
    }
  };

const change = { add: ['in-progress'], remove: ['docs'] };
const READERS = {
  readIssueText: orMalformed(readIssueText),
  editLabels: orMalformed((text) => editLabels(text, change)),
  readComments,
  hasDeliverables: (text: string) => hasDeliverables(text, ['Deliverables', '成果物']),
  branchFromBody,
  dependenciesFromBody: (text: string) => dependenciesFromBody(text, 'a/b'),
  mentionsIn: (text: string) => mentionsIn(text, 'a/b'),
  isSafeRefName: (text: string) => isSafeRefName(text, 'main'),
  parseTaskId,
  cleanLines,
  redact,
} satisfies Record<string, Reader>;

interface Worst {
  readonly name: string;
  make(length: number): string;
}

const repeat = (prefix: string, pump: string, suffix = ''): Worst => ({
  name: JSON.stringify(`${prefix}${pump}…${suffix}`),
  make: (length: number) => prefix + pump.repeat(Math.ceil(length / pump.length)) + suffix,
});

const keys = (prefix: string, suffix: string): Worst => ({
  name: `${JSON.stringify(prefix)} and thousands of keys`,
  make: (length: number) =>
    prefix + Array.from({ length: length / 10 }, (_, n) => `k${n}: 1\n`).join('') + suffix,
});

/** For each reader what would cost it most. */
const WORST: Record<keyof typeof READERS, readonly Worst[]> = {
  readIssueText: [
    repeat('# a', ' ', 'x'),
    repeat('# a', ' #', 'x'),
    repeat('', '# \n'),
    repeat('', ' \n'),
    repeat('', '```\n~~~\n'),
    repeat('---', ' ', 'x'),
    repeat('---\n', '---'),
    keys('---\n', '---\n# T\n'),
  ],
  editLabels: [repeat('# a', ' ', 'x'), keys('---\nlabels: [docs]\n', '---\n# T\n')],
  readComments: [
    repeat('', '<!-- banto x -->\n'),
    repeat('<!-- banto ', 'x'),
    repeat('<!-- banto x -->\n', '\n'),
    repeat('', '<!-- banto x'),
  ],
  hasDeliverables: [
    repeat('## Deliverables\n', '\n- '),
    repeat('', '#'),
    repeat('', '# \n'),
    repeat('', '<!--'),
    repeat('a ', '<!-- a'),
    repeat('', '` `` '),
    repeat('', '> '),
    repeat('# ', '\u0315\u0300'),
  ],
  branchFromBody: [
    repeat('Branch: ', '`'),
    repeat('Branch: ', 'a '),
    repeat('', 'Branch: *\n'),
    repeat('', '\u202e'),
    repeat('', '- '),
  ],
  dependenciesFromBody: [
    repeat('Blocked by ', '#1, '),
    repeat('Blocked by ', 'a/'),
    repeat('', 'Depends on #1\n'),
  ],
  mentionsIn: [
    repeat('', 'Closes #1 '),
    repeat('Closes ', ' '),
    repeat('', 'a/'),
    repeat('', 'a'),
    repeat('', 'https://a/b/'),
  ],
  isSafeRefName: [repeat('', 'a/'), repeat('', '../'), repeat('', '日')],
  parseTaskId: [repeat('', 'a~'), repeat('', '1')],
  cleanLines: [
    repeat('', '\u001b]'),
    repeat('', '\u001b['),
    repeat('\u001b[', '0'),
    repeat('\u001b[', ' '),
    repeat('', '\u009d'),
    repeat('\u001b]', 'a'),
    repeat('', '\r'),
    repeat('', '\ud800'),
  ],
  redact: [
    repeat('', '"token":"'),
    repeat('"', 'token'),
    repeat('', '\\"'),
    repeat('bearer', ' '),
    repeat('', 'a://b:'),
  ],
};

const cases = Object.entries(WORST).flatMap(([name, inputs]) =>
  inputs.map((input) => ({ name, input: input.name, make: input.make })),
);

it.each(cases)('$name takes linear time on $input', ({ name, make }) => {
  expect(superlinear(READERS[name as keyof typeof READERS], make)).toBeNull();
});

it.each([repeat('a', '\u0301'), repeat('', '👩‍'), repeat('', '🇦'), repeat('', 'a')])(
  'a table takes linear time on $name',
  ({ make }) => {
    expect(superlinear((text) => table([[text, text]], 80), make, { to: 131_072 })).toBeNull();
  },
);

const FRONT_MATTER = [
  repeat('---\nlabels: ', '[', '\n---\n# T\n'),
  repeat('---\nlabels: [', 'a,', ']\n---\n# T\n'),
  repeat('---\n', 'a:\n', '---\n# T\n'),
  repeat('---\na: ', '&', '\n---\n# T\n'),
  repeat('---\n', '? ', '\n---\n# T\n'),
  repeat('---\n', '{', '\n---\n# T\n'),
  repeat('---\n', '}', '\n---\n# T\n'),
  repeat('---\na: "', '\\', '\n---\n# T\n'),
  repeat('---\na: |\n', ' \n', '---\n# T\n'),
  repeat('---\n', '- ', '\n---\n# T\n'),
  repeat('---\nlabels:\n', '  - docs # a\n', '---\n# T\n'),
  keys('---\nlabels: [docs]\n', '---\n# T\n'),
];

it.each(FRONT_MATTER)('front matter of the largest size is read at once: $name', ({ make }) => {
  const text = make(8000);
  for (const read of [READERS.readIssueText, READERS.editLabels]) {
    expect(leastMs(() => read(text))).toBeLessThan(400);
  }
});

it('still tells a key that stands twice', () => {
  expect(() => readIssueText('---\nlabels: [a]\nlabels: [b]\n---\n# T\n')).toThrow(/labels.*twice/);
});
