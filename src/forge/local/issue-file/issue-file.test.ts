import { describe, expect, it } from 'vitest';
import { decodeFile, readIssueText } from './issue-file.ts';

const front = (yaml: string, rest = '# T\n') => `---\n${yaml}\n---\n${rest}`;

describe('readIssueText', () => {
  it('reads front matter, title and body', () => {
    const text = front(
      'labels: [bug, "P1"]\npriority: High\nstate: closed\nblocked_by: [7, "#8", 7]\nowner: me',
      '\n# Fix the login #\n\n## Deliverables\n\n- it works\n',
    );
    expect(readIssueText(text)).toEqual({
      labels: ['bug', 'P1'],
      priority: 'high',
      state: 'closed',
      blockedBy: [7, 8],
      title: 'Fix the login',
      body: '## Deliverables\n\n- it works\n',
    });
  });

  it.each([
    ['the first heading', 'intro\n\n# Title\nrest', 'Title', 'intro\n\nrest'],
    ['the first line without a heading', '\n  Title  \n\nrest', 'Title', 'rest'],
    ['no heading inside code', 'Title\n\n```sh\n# install\n```', 'Title', '```sh\n# install\n```'],
    [
      'a lower heading, which stays',
      '## Deliverables\n\n- x',
      'Deliverables',
      '## Deliverables\n\n- x',
    ],
    ['a CRLF file', '# Title\r\n\r\na\r\nb', 'Title', 'a\nb'],
    ['a file with a byte order mark', '\uFEFF# 題名 🎉', '題名 🎉', ''],
  ])('takes the title from %s', (_case, text, title, body) => {
    expect(readIssueText(text)).toMatchObject({ title, body });
  });

  it.each(['', '\n', '# only a comment', 'labels:', 'labels: []', 'labels: ~'])(
    'reads front matter %j as no labels',
    (yaml) => expect(readIssueText(front(yaml))).toMatchObject({ labels: [], state: 'open' }),
  );

  it.each([
    ['an empty file', '', /empty/],
    ['white space alone', ' \n\r\n', /empty/],
    ['no title', front('labels: [a]', '\n\n'), /no title/],
    ['front matter without an end', '---\nlabels: [a]\n# T', /no second ---/],
    ['bad YAML', front('a: 1\nlabels: [a'), /not valid YAML.*line/],
    ['YAML that is a list', front('- a'), /name: value/],
    ['YAML that is a word', front('word'), /name: value/],
    ['a tab as indentation', front('labels:\n\t- a'), /not valid YAML/],
    ['labels as a word', front('labels: bug'), /labels must be a list/],
    ['labels as numbers', front('labels: [1]'), /labels must be a list/],
    ['an unknown priority', front('priority: urgent'), /priority must be/],
    ['an unknown state', front('state: [open]'), /state must be/],
    ['blocked_by with words', front('blocked_by: [login]'), /blocked_by must be/],
    ['blocked_by swallowed by a comment', front('blocked_by:\n  - #7'), /blocked_by must be/],
  ])('reports %s', (_case, text, sentence) => {
    expect(() => readIssueText(text)).toThrow(sentence);
  });

  it.each(['[', '{', 'labels: ['])(
    'reports what is nested too deep in plain words (%j)',
    (open) => {
      const text = front(open.repeat(Math.floor(8000 / open.length)));
      expect(() => readIssueText(text)).toThrow(/nested too deep|not valid YAML/);
      expect(() => readIssueText(text)).not.toThrow(/call stack/);
    },
  );

  it('collects no stack trace for each of thousands of errors, and leaves those of others alone', () => {
    const limits: unknown[] = [];
    const limit = Error.stackTraceLimit;
    Object.defineProperty(Error, 'stackTraceLimit', {
      configurable: true,
      get: () => (limits.at(-1) as number | undefined) ?? limit,
      set(value: number) {
        limits.push(value);
      },
    });
    try {
      expect(() => readIssueText(front(`a: [7]${'{'.repeat(4000)}`))).toThrow(/not valid YAML/);
    } finally {
      const writable = { value: limit, writable: true, configurable: true };
      Object.defineProperty(Error, 'stackTraceLimit', writable);
    }
    expect(limits).toEqual([0, limit]);
  });

  it('reports a bomb of aliases in front matter instead of unfolding it', () => {
    const lines = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 30; i += 1)
      lines.push(`a${i}: &a${i} [${Array.from({ length: 9 }, () => `*a${i - 1 || ''}`).join()}]`);
    const startedAt = performance.now();
    expect(readIssueText(front(lines.join('\n'))).labels).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });
});

describe('decodeFile', () => {
  it('keeps a byte order mark and refuses what is not UTF-8 or too large', () => {
    const text = '\uFEFFé🎉';
    expect(decodeFile(Buffer.from(text))).toBe(text);
    expect(() => decodeFile(Buffer.from([0x23, 0xff, 0xfe]))).toThrow(/UTF-8/);
    expect(() => decodeFile(Buffer.alloc(1024 * 1024 + 1, 'x'))).toThrow(/1 MiB/);
  });
});
