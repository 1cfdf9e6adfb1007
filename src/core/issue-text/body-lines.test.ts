import { describe, expect, it } from 'vitest';
import { cutListMarks, readLines } from './body-lines.ts';

/** `code: x`, `quote: x`, `2: x` for a heading, `x` for plain text. */
const lines = (body: string) =>
  readLines(body).map(({ text, within, heading }) => {
    if (heading !== null) return `${heading}: ${text}`;
    return within === 'text' ? text : `${within}: ${text}`;
  });

describe('the lines of a body', () => {
  it('are at most as many as people write, however many empty ones there are', () => {
    expect(readLines('\n'.repeat(100_000))).toHaveLength(20_000);
    expect(readLines(`${'\n'.repeat(19_999)}# Last`).at(-1)).toMatchObject({ text: 'Last' });
  });

  it.each<[string, string, string[]]>([
    ['end in many ways', 'a\r\nb\rc\u2028d\u0085e', ['a', 'b', 'c', 'd', 'e']],
    ['may be empty', 'a\n  \n\t\nb', ['a', '', '', 'b']],
    ['are quotes', '> a > b\n   > c\n    > d', ['quote:   a   b', 'quote:      c', '    > d']],
    ['are headings', '# a\n###### b\n####### c\n#d\n#', ['1: a', '6: b', '####### c', '#d', '1: ']],
    [
      'are headings with marks at the end',
      '# a ##\n# C#\n# a\t#\n# #',
      ['1: a', '1: C#', '1: a', '1: '],
    ],
    ['are indented headings', '   # a  \n    # b', ['1: a', '    # b']],
    ['are underlined headings', '  a  \n===\n\nb\n -- \n', ['1: a', '', '2: b', '']],
    ['are no headings of a longer paragraph', 'a\nb\n===', ['a', 'b', '===']],
    [
      'are no headings of a list or of code',
      '- a\n---\n    b\n---',
      ['- a', '---', '    b', '---'],
    ],
    ['are no headings of a blank line', '\n---', ['', '---']],
    ['are no underlines with words', 'a\n- b\n=c', ['a', '- b', '=c']],
    ['are code between fences', '```ts\na\n```\nb', ['code: a', 'b']],
    [
      'are code between fences of another kind',
      '~~~\n```\na\n~~~~\nb',
      ['code: ```', 'code: a', 'b'],
    ],
    ['are code to the end of a longer fence', '````\n```\n````\nb', ['code: ```', 'b']],
    ['are code in a list', '- ```\n  a\n  ```\nb', ['code:   a', 'b']],
    ['are code where the fence is never closed', '```\na\n``` b', ['code: a', 'code: ``` b']],
    ['are no fence with words behind backticks', '```a```\nb', ['```a```', 'b']],
    ['are a fence of tildes with words behind', '~~~a~~~\nb', ['code: b']],
    ['are without comments', 'a <!-- b --> c<!--d-->e', ['a   c e']],
    ['are without comments over several lines', 'a\n<!-- b\nc\n d --> e', ['a', '', '', ' e']],
    ['keep a comment that stands in code', '`<!-- a -->` b', ['`<!-- a -->` b']],
    ['keep one between longer runs of backticks', '`` ` <!-- a --> `` b', ['`` ` <!-- a --> `` b']],
    ['keep one that fills such runs', '````<!--```` a --> b', ['````<!--```` a --> b']],
    ['cut one behind a backtick that is alone', '` <!-- a --> b', ['`   b']],
    ['keep a comment in mid-line that is closed nowhere', 'a <!-- b\nc', ['a <!-- b', 'c']],
    ['cut one in mid-line that is closed further down', 'a <!-- b\nc --> d', ['a ', ' d']],
    ['cut one at the beginning of a line to the end', '  <!-- b\nc', ['', '']],
    ['know the shortest comment', 'a <!--> b', ['a   b']],
    ['go on behind a comment that ends the line', '<!-- a -->\nb', ['', 'b']],
  ])('%s', (_title, body, expected) => {
    expect(lines(body)).toEqual(expected);
  });
});

describe('list marks', () => {
  it.each<[string, string, boolean, boolean]>([
    ['a', 'a', false, false],
    ['- a', ' a', true, false],
    ['* 1. + 2) a', ' a', true, false],
    ['- - - - - a', ' - a', true, false],
    ['- [ ] a', ' a', true, false],
    ['- [x] a', ' a', true, true],
    ['1. [X] a', ' a', true, true],
    ['- [y] a', ' [y] a', true, false],
    ['[x] a', '[x] a', false, false],
    ['-a', '-a', false, false],
    ['-', '', true, false],
  ])('of %j are cut: %j', (line, text, marked, checked) => {
    expect(cutListMarks(line)).toEqual({ text, marked, checked });
  });
});
