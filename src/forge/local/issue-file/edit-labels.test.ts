import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editLabels } from './edit-labels.ts';
import { readIssueText } from './issue-file.ts';

const add = (...labels: string[]) => ({ add: labels, remove: [] });
const remove = (...labels: string[]) => ({ add: [], remove: labels });

describe('editLabels', () => {
  it.each([
    ['no front matter', '# T\n\nbody', '---\nlabels: [in-progress]\n---\n# T\n\nbody'],
    ['no front matter, CRLF', '# T\r\nb', '---\r\nlabels: [in-progress]\r\n---\r\n# T\r\nb'],
    ['a byte order mark', '\uFEFF# T', '\uFEFF---\nlabels: [in-progress]\n---\n# T'],
    ['empty front matter', '---\n---\n# T', '---\nlabels: [in-progress]\n---\n# T'],
    ['only a comment', '---\n# c\n---\n# T', '---\n# c\nlabels: [in-progress]\n---\n# T'],
    ['no labels', '---\nstate: open\n---\nT', '---\nlabels: [in-progress]\nstate: open\n---\nT'],
    [
      'a flow map',
      '---\n{state: open}\n---\nT',
      '---\n{labels: [in-progress], state: open}\n---\nT',
    ],
    [
      'a flow map, blank',
      '---\n{labels: , a: 1}\n---\nT',
      '---\n{labels: [in-progress] , a: 1}\n---\nT',
    ],
    [
      'blank labels',
      '---\nlabels: # c\na: 1\n---\nT',
      '---\nlabels: # c\n  - in-progress\na: 1\n---\nT',
    ],
    ['null labels', '---\nlabels: ~ # c\n---\nT', '---\nlabels: [in-progress] # c\n---\nT'],
    ['an empty list', '---\nlabels: []\n---\nT', '---\nlabels: [in-progress]\n---\nT'],
    ['a flow list', '---\nlabels: [a, "b"]\n---\nT', '---\nlabels: [a, "b", in-progress]\n---\nT'],
    ['a trailing comma', '---\nlabels: [a,]\n---\nT', '---\nlabels: [a, in-progress,]\n---\nT'],
    [
      'one label a line',
      '---\nlabels: [\n    a,\n    b # c\n  ]\n---\nT',
      '---\nlabels: [\n    a,\n    b,\n    in-progress # c\n  ]\n---\nT',
    ],
    [
      'a block list',
      '---\nlabels:\n    - a # x\n    - b\nz: 1\n---\nT',
      '---\nlabels:\n    - a # x\n    - b\n    - in-progress\nz: 1\n---\nT',
    ],
    [
      'a block list without indentation, CRLF',
      '---\r\nlabels:\r\n- a\r\n---\r\nT',
      '---\r\nlabels:\r\n- a\r\n- in-progress\r\n---\r\nT',
    ],
    [
      'a block scalar as an item',
      '---\nlabels:\n  - >-\n    long\n    name\nz: 1\n---\nT',
      '---\nlabels:\n  - >-\n    long\n    name\n  - in-progress\nz: 1\n---\nT',
    ],
  ])('adds to a file with %s', (_case, before, after) => {
    expect(editLabels(before, add('in-progress'))).toBe(after);
  });

  it.each([
    ['the first of a flow list', 'labels: [x, a]', 'labels: [a]'],
    ['the last of a flow list', 'labels: [a, x]', 'labels: [a]'],
    ['the middle, in other case', 'labels: [a , "X" , b]', 'labels: [a , b]'],
    ['every double', 'labels: [x, a, X, x]', 'labels: [a]'],
    ['the only one', 'labels: [ x ]', 'labels: [  ]'],
    ['one before a trailing comma', 'labels: [a, x, ]', 'labels: [a,  ]'],
    ['one with a comment behind', 'labels: [x, # why\n  a]', 'labels: [ # why\n  a]'],
    ['one behind a comment', 'labels: [a, # why, not\n  x]', 'labels: [a # why, not\n  ]'],
    ['a line of a flow list', 'labels: [\n  a,\n  x,\n]', 'labels: [\n  a,\n]'],
    ['one of a block list', 'labels:\n  - a # one\n  - x\n  - b', 'labels:\n  - a # one\n  - b'],
    ['one with a comment', 'labels:\n  - x # why\n  - b', 'labels:\n  # why\n  - b'],
    ['the only one of a block list', 'labels:\n  - x\nz: 1', 'labels:\nz: 1'],
  ])('removes %s', (_case, before, after) => {
    expect(editLabels(`---\n${before}\n---\nT`, remove('x'))).toBe(`---\n${after}\n---\nT`);
  });

  it('keeps the style of a block list whose only label is exchanged', () => {
    const change = { add: ['needs-review'], remove: ['in-progress', 'agent-1'] };
    expect(editLabels('---\nlabels:\n- in-progress\n- agent-1\n---\nT', change)).toBe(
      '---\nlabels:\n- needs-review\n---\nT',
    );
  });

  it('gives the same text back when nothing is to be done', () => {
    const text = '---\nlabels: [ Bug,docs ]\n---\nT';
    expect(editLabels(text, { add: ['bug'], remove: ['other'] })).toBe(text);
  });

  it.each([
    'yes',
    '1',
    'null',
    '',
    'a b',
    'a: b',
    '#7',
    "it's",
    'a"b',
    '[x]',
    '- x',
    'a\nb',
    '\0',
    '\u2028',
    '日本',
    '🎉',
    'priority:high',
    '*',
    '---',
  ])('writes the label %j so that it reads back as it is', (label) => {
    for (const text of ['T', '---\nlabels: [a]\n---\nT', '---\nlabels:\n  - a\n---\nT']) {
      const labels = readIssueText(editLabels(text, add(label))).labels;
      expect(labels.filter((it) => it !== 'a')).toEqual(label === '' ? [] : [label]);
    }
  });

  it.each([
    ['an anchor', 'labels: &l [a]\nmore: *l'],
    ['an alias', 'more: &l [a]\nlabels: *l'],
    ['a tag', 'labels: !!set [a]'],
    ['a key without a colon', '? labels'],
    ['a word', 'labels: bug'],
    ['numbers', 'labels: [1, 2]'],
    ['a map', 'labels: {a: b}'],
    ['an empty item', 'labels:\n  - a\n  -'],
    ['the same key twice', 'labels: [a]\nlabels: [b]'],
  ])('refuses labels with %s', (_case, yaml) => {
    expect(() => editLabels(`---\n${yaml}\n---\nT`, add('x'))).toThrow(/labels|YAML/);
  });

  const label = fc.oneof(
    fc.constantFrom(
      'bug',
      'Docs',
      'in-progress',
      'agent-1',
      'needs-review',
      '日本語',
      'a: b',
      '🎉 x',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
  );
  const comment = fc.constantFrom('', '', ' # why', ' # a, b: [c] - d', '\t# 注');
  const before = fc.constantFrom(
    '',
    'a: 1\n',
    '# top\npriority: high # p\n',
    'text: |\n  - x\n  labels: [no]\n',
  );
  const after = fc.constantFrom(
    '',
    'z: 1\n',
    '# end\n',
    'state: closed\n\nblocked_by: ["#7", 8]\n',
    'q: "labels: [x]"\n',
  );
  const prose = fc.constantFrom(
    '# T',
    '# 題名\n\nbody ---\n---\nlabels: [x]\n',
    'T\n\n\n',
    '\n\n# T #\n\n```\n# no\n```',
  );
  const quoted = (text: string) => JSON.stringify(text);
  const node = fc
    .record({
      labels: fc.uniqueArray(label, { selector: (it) => it.toLowerCase(), maxLength: 5 }),
      style: fc.constantFrom('flow', 'lines', 'block', 'blank'),
      indent: fc.constantFrom('', '  ', '     '),
      comments: fc.array(comment, { minLength: 6, maxLength: 6 }),
    })
    .map(({ labels, style, indent, comments }) => {
      const pad = style === 'lines' ? `${indent} ` : indent;
      if (style === 'flow' || labels.length === 0 || style === 'blank') {
        if (style === 'blank') return { labels: [], text: `${comments[0]}\n` };
        return { labels, text: ` [${pad}${labels.map(quoted).join(`,${pad}`)}]${comments[0]}\n` };
      }
      const lines = labels.map((it, index) =>
        style === 'block'
          ? `${pad}- ${quoted(it)}${comments[index]}\n`
          : `${pad}${quoted(it)}${comments[index]}\n${pad},\n`,
      );
      return {
        labels,
        text: style === 'block' ? `\n${lines.join('')}` : ` [\n${lines.join('')} ]\n`,
      };
    });

  it('changes nothing but the labels, whatever the file and the change', () => {
    fc.assert(
      fc.property(
        fc.record({
          bom: fc.constantFrom('', '\uFEFF'),
          crlf: fc.boolean(),
          before,
          node,
          after,
          prose,
        }),
        fc.record({
          add: fc.array(label, { maxLength: 3 }),
          remove: fc.array(label, { maxLength: 3 }),
        }),
        fc.array(fc.nat(4), { maxLength: 3 }),
        (file, drawn, indices) => {
          const eol = (text: string) => (file.crlf ? text.replaceAll('\n', '\r\n') : text);
          const change = {
            add: drawn.add,
            remove: [...drawn.remove, ...indices.flatMap((index) => file.node.labels[index] ?? [])],
          };
          const head = eol(`${file.bom}---\n${file.before}labels:`);
          const tail = eol(`${file.after}---\n${file.prose}`);
          const text = head + eol(file.node.text) + tail;
          const edited = editLabels(text, change);

          expect(edited.startsWith(head)).toBe(true);
          expect(edited.endsWith(tail)).toBe(true);
          expect(edited.length).toBeGreaterThanOrEqual(head.length + tail.length);
          const key = (it: string) => it.toLowerCase();
          const kept = new Set(change.add.map(key));
          const wanted = new Map(file.node.labels.map((it) => [key(it), it]));
          for (const it of change.remove) if (!kept.has(key(it))) wanted.delete(key(it));
          for (const it of change.add) if (!wanted.has(key(it))) wanted.set(key(it), it);
          expect(readIssueText(edited).labels.map(key).sort()).toEqual([...wanted.keys()].sort());
          for (const line of file.node.text.match(/# .*/g) ?? []) expect(edited).toContain(line);
          expect(editLabels(edited, change)).toBe(edited);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
