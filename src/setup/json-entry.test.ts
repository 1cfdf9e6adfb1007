import { describe, expect, it } from 'vitest';
import { type Entry, FOREIGN, hasEntry, putEntry, takeEntry } from './json-entry.ts';

const entry: Entry = {
  at: ['mcpServers', 'banto'],
  value: { command: 'banto', args: ['mcp'] },
};

describe('an entry in a JSON file', () => {
  it('is the whole of a new file, and the file goes with it', () => {
    const put = String(putEntry(null, { ...entry, preamble: { $schema: 'x' } }));
    expect(JSON.parse(put)).toEqual({ $schema: 'x', mcpServers: { banto: entry.value } });
    expect(takeEntry(put, { ...entry, preamble: { $schema: 'x' } })).toBeNull();
  });

  it.each([
    '{\n  "mcpServers": {\n    "other": {\n      "command": "x"\n    }\n  },\n  "a": 1\n}\n',
    '{\n\t"a": [1, 2], // mine\n\t"b": {}\n}\n',
    '{\n    "a": 1\n}',
    '{\r\n  "a": 1\r\n}\r\n',
    '{"a":1,"mcpServers":{"other":{}}}',
    '{\n  /* why */\n  "mcpServers": { "other": { "url": "http://x" } }\n}\n',
    '{\n  "mcpServers": {\n    "other": {},\n  },\n}\n',
    '{}\n',
    '{ }',
    '{\n  "mcpServers": {}\n}\n',
    '{\n  "mcpServers": {},\n  "a": 1\n}\n',
    '{\n  "a": 1\n  // the end\n}\n',
    '{}',
  ])('is put beside what is there and taken out again, byte by byte: %j', (before) => {
    const put = String(putEntry(before, entry));
    expect(hasEntry(put, entry)).toBe(true);
    expect(putEntry(put, entry)).toBe(put);
    expect(takeEntry(put, entry)).toBe(before);
  });

  it("of somebody else's making is left alone", () => {
    const theirs = '{"mcpServers":{"banto":{"url":"https://banto.example"}}}';
    expect(putEntry(theirs, entry)).toBe(FOREIGN);
    expect(takeEntry(theirs, entry)).toBe(FOREIGN);
  });

  it.each(['{"a": ', '[1]', '{"mcpServers": []}', '{"a" 1}'])(
    'is not put into what cannot be read: %j',
    (text) => {
      expect(() => putEntry(text, entry)).toThrow(/it is not JSON|no object/);
      expect(() => takeEntry(text, entry)).toThrow(/it is not JSON|no object/);
    },
  );
});
