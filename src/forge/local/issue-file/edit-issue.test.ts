import { describe, expect, it } from 'vitest';
import { editIssueText } from './edit-issue.ts';
import { Malformed } from './front-matter.ts';

const FULL = `---
# keep me
labels: [a, b]   # two
priority: low # for now
blocked_by:
  - 1
  - "#2"
other: kept
---

# The title

Text.

## Deliverables

- it
`;

describe('editing an issue', () => {
  it.each([
    [
      'state',
      { state: 'closed' as const },
      FULL.replace('other: kept\n', 'other: kept\nstate: closed\n'),
    ],
    [
      'priority',
      { priority: 'high' as const },
      FULL.replace('priority: low #', 'priority: high #'),
    ],
    ['no priority', { priority: null }, FULL.replace('priority: low # for now\n', '')],
    [
      'dependencies',
      { blockedBy: [7, 8] },
      FULL.replace('blocked_by:\n  - 1\n  - "#2"\n', 'blocked_by: [7, 8]\n'),
    ],
    ['no dependencies', { blockedBy: [] }, FULL.replace('blocked_by:\n  - 1\n  - "#2"\n', '')],
    ['labels', { labels: { add: ['c, d'], remove: ['A'] } }, FULL.replace('[a, b]', '[b, "c, d"]')],
    ['title', { title: 'Another' }, FULL.replace('# The title', '# Another')],
    ['nothing', {}, FULL],
  ])('changes %s and not another byte', (_, change, expected) => {
    expect(editIssueText(FULL, change)).toBe(expected);
  });

  it('replaces the body and keeps the front matter and the title', () => {
    const edited = editIssueText(FULL, { body: 'New.\n' });
    expect(edited).toBe(`${FULL.slice(0, FULL.indexOf('---\n\n') + 4)}# The title\n\nNew.\n`);
  });

  it('closes and reopens a file without front matter, in its own line ends', () => {
    const closed = editIssueText('# Fix\r\n\r\nText.\r\n', { state: 'closed' });
    expect(closed).toBe('---\r\nstate: closed\r\n---\r\n# Fix\r\n\r\nText.\r\n');
    expect(editIssueText(closed, { state: 'open' })).toBe(closed.replace('closed', 'open'));
  });

  it('writes a value behind a name that has none', () => {
    const edited = editIssueText('---\nstate:\nlabels: [a]\n---\n# T\n', { state: 'closed' });
    expect(edited).toBe('---\nstate: closed\nlabels: [a]\n---\n# T\n');
  });

  it.each(['---\n{labels: [a], other: x}\n---\n# T\n', '---\nlabels: [a\n---\n# T\n'])(
    'leaves alone what it cannot change safely: %j',
    (text) => {
      expect(() => editIssueText(text, { state: 'closed' })).toThrow(Malformed);
    },
  );
});
