import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../settings.ts';
import { branchFromBody, dependenciesFromBody, hasDeliverables } from './body.ts';

const has = (body: string): boolean => hasDeliverables(body, DEFAULT_POLICY.deliverablesHeadings);
const depends = (body: string): number[] => dependenciesFromBody(body, 'owner/repo');
const FENCE = '```';

describe('hasDeliverables', () => {
  it.each([
    '## 成果物\n- a page',
    '# deliverables\na page',
    '###### ACCEPTANCE CRITERIA\n\n\n1. works',
    '## Deliverables ##\nx',
    '## Deliverables:\nx',
    '## **成果物**：\nx',
    '## 3. 成果物\nx',
    '## 2.1) Deliverables\nx',
    '## ✅ Deliverables\nx',
    '## 【成果物】\nx',
    '## 成果物 (Deliverables)\nx',
    '## 納品 / Deliverables\nx',
    '## Ｄｅｌｉｖｅｒａｂｌｅｓ\nx',
    '   ## Deliverables\nx',
    'Deliverables\n===\nx',
    'Intro\n\nAcceptance criteria\n---\nx',
    '## Deliverables\n- [ ] a box with words',
    '## Deliverables\n### The page\n',
    '## Deliverables\n> quoted words',
    `## Deliverables\n${FENCE}\nsome code\n${FENCE}`,
    '## Deliverables\n<!-- hint -->\nx',
    '## Deliverables\n\n## Deliverables\nonly here',
    '## 概要\nx\n## 成果物\n🎉 1',
    '```not a fence```\n## Deliverables\nx',
  ])('sees a section with content in %j', (body) => {
    expect(has(body)).toBe(true);
  });

  it.each([
    '',
    'Deliverables\nx',
    '##Deliverables\nx',
    '**Deliverables**\nx',
    '    ## Deliverables\nx',
    '- ## Deliverables\n- x',
    '> ## Deliverables\n> x',
    '## Deliverables',
    '## Deliverables\n\n \t\n',
    '## Deliverables\n## Next\nx',
    '### Deliverables\n# Next\nx',
    '## Deliverables\nNext\n===\nx',
    '## Deliverables\n- \n* [ ]\n1.\n- [x]\n---\n',
    '## Deliverables\n<!-- write here -->',
    '## Deliverables\n<!--\nwrite here\n-->\n',
    '## Deliverables\n<!-- never closed\nx',
    '## Deliverables\n\n_No response_\n',
    '## Deliverables of others\nx',
    '## No deliverables\nx',
    `${FENCE}md\n## Deliverables\nx\n${FENCE}`,
    '~~~\n```\n## Deliverables\nx\n~~~',
    '````\n```\n## Deliverables\nx\n````',
    `- example\n\n      ${FENCE}\n## Deliverables\nx\n      ${FENCE}`,
    '<!--\n## Deliverables\nx\n-->',
    'see <!-- this\n## Deliverables\nx\n-->',
    '## Deliverables\n\u200b\u202e\n',
    'one line\nDeliverables\n---\nx',
  ])('sees none in %j', (body) => {
    expect(has(body)).toBe(false);
  });

  it('sees text after a comment on the same line, and is not led astray by a comment in code', () => {
    expect(has('## Deliverables\n<!-- hint --> x')).toBe(true);
    expect(has('Write `<!--` like that.\n## Deliverables\nx\n`-->`')).toBe(true);
    expect(has('An odd <!-- here.\n## Deliverables\nx')).toBe(true);
  });

  it('reads bodies with every kind of line break, NUL and marks of direction', () => {
    for (const end of ['\r\n', '\r', '\n', '\u2028', '\u2029']) {
      expect(has(['## Deliverables', '', '- x'].join(end))).toBe(true);
    }
    expect(has('## \u200fDeliver\u0000ables\u202e\nx')).toBe(true);
  });

  it('takes the headings it is given, and none of them may be empty', () => {
    expect(hasDeliverables('## Ergebnis\nx', ['ergebnis'])).toBe(true);
    expect(hasDeliverables('## Deliverables\nx', ['ergebnis'])).toBe(false);
    expect(hasDeliverables('##\nx', ['', '***'])).toBe(false);
  });
});

describe('branchFromBody', () => {
  it.each([
    ['Branch: feature/login', 'feature/login'],
    ['branch name:feature/login', 'feature/login'],
    ['ブランチ名: feature/login', 'feature/login'],
    ['ブランチ名：`feature/login`', 'feature/login'],
    ['作業ブランチ (Feature Branch): feature/login', 'feature/login'],
    ['作業ブランチ（Feature Branch）：feature/login', 'feature/login'],
    ['- **作業ブランチ (Feature Branch):** `feature/login`', 'feature/login'],
    ['* **Branch**: feature/login', 'feature/login'],
    ['**Branch: feature/login**', 'feature/login'],
    ['- [ ] __Branch:__ _private', '_private'],
    ['1. Branch: `feature/login` (from main)', 'feature/login'],
    ['## Branch: feature/login', 'feature/login'],
    ['## Branch: feature/login ##', 'feature/login'],
    ['## Branch: learn-c#', 'learn-c#'],
    ['## Branch\n\nfeature/login\n', 'feature/login'],
    ['### **ブランチ名**：\n- `feature/login`', 'feature/login'],
    ['作業ブランチ\n------\nfeature/login', 'feature/login'],
    ['Branch: <!-- the name -->\n\nBranch: second', 'second'],
    ['Branch: use what you like\nBranch: second', 'second'],
    ['Branch: first\r\nBranch: second', 'first'],
    ['\u200eBranch: feature/login\u200f', 'feature/login'],
    ['Branch: --upload-pack=evil', '--upload-pack=evil'],
    ['Branch: ../../etc', '../../etc'],
    ['Branch: a\u202eb', 'a\u202eb'],
  ])('finds in %j the name %j', (body, name) => {
    expect(branchFromBody(body)).toBe(name);
  });

  it.each([
    '',
    'Branch:',
    'Branch: `',
    'Branches: many',
    'The branch: feature/login',
    'Branch feature/login',
    'Branch: two words',
    '## Branch\nWe will see about that.',
    '## Branch\nWe will see about that.\nlater',
    '## Branch\n## Next\nfeature/login',
    `## Branch\n${FENCE}\nfeature/login\n${FENCE}`,
    `${FENCE}\nBranch: feature/login\n${FENCE}`,
    '    Branch: feature/login',
    '<!-- Branch: feature/login -->',
    'text <!--\nBranch: feature/login\n-->',
    '> Branch: feature/login',
  ])('finds none in %j', (body) => {
    expect(branchFromBody(body)).toBeNull();
  });
});

describe('dependenciesFromBody', () => {
  it.each<[string, number[]]>([
    ['Blocked by #12', [12]],
    ['depends on: #12', [12]],
    ['Depends on #14, #13 and #12', [12, 13, 14]],
    ['Depends on #1, #2, and #3', [1, 2, 3]],
    ['- [ ] blocked by owner/repo#3', [3]],
    ['* **Blocked by:** #3 #4', [3, 4]],
    ['Blocked by OWNER/Repo#3, other/repo#4, #5', [3, 5]],
    ['Blocked by #7\r\nDepends on #7\rDepends on #6', [6, 7]],
    ['## Blocked by #7', [7]],
    ['Blocked by #12 because #13 broke', [12]],
    ['\u200fBlocked by #12', [12]],
    ['Blocked by #0, #2', [2]],
    ['Blocked by #1234567890', []],
    ['Blocked by #12abc', []],
    ['Blocked by nothing', []],
    ['Not blocked by #12', []],
    ['See #12', []],
    ['- [x] blocked by #12', []],
    ['~~Blocked by #12~~', []],
    ['> Blocked by #12', []],
    ['<!-- Blocked by #12 -->', []],
    ['<!--\nBlocked by #12\n-->', []],
    [`${FENCE}\nBlocked by #12\n${FENCE}`, []],
    ['    Blocked by #12', []],
    ['Blocked by `#12`', []],
  ])('finds in %j the numbers %j', (body, numbers) => {
    expect(depends(body)).toEqual(numbers);
  });

  it('knows a repository without an owner by its name', () => {
    expect(dependenciesFromBody('Blocked by house#3, other#4', 'house')).toEqual([3]);
  });

  it('stops at a hundred', () => {
    const body = Array.from({ length: 5000 }, (_, n) => `Blocked by #${n + 1}`).join('\n');
    expect(depends(body)).toHaveLength(100);
  });
});

describe('any text at all', () => {
  it('is read without complaint, and what comes out keeps to its form', () => {
    const piece = fc.constantFrom(
      '## Deliverables',
      'Branch:',
      'Blocked by',
      '#7',
      '`',
      '```',
      '~~~',
      '<!--',
      '-->',
      '> ',
      '- [ ] ',
      '\n',
      '\r',
      '\r\n',
      '\u2028',
      '\u0000',
      '\u202e',
      ' ',
      '\t',
      '===',
      '---',
      'x',
    );
    const text = fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 5 })));
    fc.assert(
      fc.property(text, (pieces) => {
        const body = pieces.join('');
        has(body);
        const branch = branchFromBody(body);
        expect(branch === null || /^[^\s`]+$/.test(branch)).toBe(true);
        for (const number of depends(body)) expect(number).toBeGreaterThan(0);
      }),
      { numRuns: 3000 },
    );
  });

  const MEBIBYTE = 1_048_576;
  const fill = (piece: string) => piece.repeat(Math.ceil(MEBIBYTE / piece.length));
  const NASTY =
    ' |\t|#|`|` ``|*|_|~|=|-|>|\r|\u2028|\u0000|<!--|-->|<!---->|<!-- ` -->|- |1. |[ ] |> - |#1 |#1,|(|１|' +
    '\u202e|\ud800|Branch|Branch: |Branch (|blocked by |a/|##\n|```\n|Branch:\n|## Branch\n|x\n---\n|' +
    '- - - - \n|<!--\n|```\n~~~\n|Branch : `\n';
  it.each(NASTY.split('|'))('of a mebibyte of %j is read to the end', (piece) => {
    for (const head of ['', '# ', 'Branch: ', 'Blocked by ', '## Deliverables\n', '  <!-- ']) {
      const body = head + fill(piece);
      has(body);
      expect(branchFromBody(body) ?? '').not.toMatch(/\s/);
      expect(depends(body).length).toBeLessThanOrEqual(1);
    }
  });

  it('of backticks in runs of every length is read to the end', () => {
    const runs = Array.from({ length: 340 }, (_, n) => '`'.repeat(n + 1)).join(' ');
    expect(has(`<!-- ${runs} -->\n${runs} <!-- x\n## Deliverables\nx`)).toBe(true);
  });

  it('is read up to 128 Ki characters', () => {
    const section = '\n## Deliverables\nx\nBranch: b\nBlocked by #1\n';
    const early = `${'y'.repeat(131_000)}${section}${fill('z')}`;
    const late = `${'y'.repeat(131_072)}${section}`;
    expect([has(early), branchFromBody(early), depends(early)]).toEqual([true, 'b', [1]]);
    expect([has(late), branchFromBody(late), depends(late)]).toEqual([false, null, []]);
  });
});
