import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BROKEN, hasBlock, MARKDOWN, putBlock, TOML, takeBlock } from './marked-block.ts';

const body = 'Ask Banto.\nThen work.';

describe('a marked block', () => {
  it('is the whole of a new file, and the file goes with it', () => {
    const put = String(putBlock(null, body, MARKDOWN));
    expect(put).toBe(`<!-- banto:begin -->\n${body}\n<!-- banto:end -->\n`);
    expect(takeBlock(put, MARKDOWN)).toBeNull();
  });

  it("gives back somebody's text byte by byte, whatever its line ends are", () => {
    const line = fc.constantFrom('# Rules', '', 'Be kind.', ' ');
    const text = fc
      .tuple(
        fc.array(line, { minLength: 1, maxLength: 6 }),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
      )
      .map(([lines, eol, closed]) => lines.join(eol) + (closed ? eol : ''))
      .filter((whole) => whole !== '');
    fc.assert(
      fc.property(text, (before) => {
        const put = String(putBlock(before, body, MARKDOWN));
        expect(put.startsWith(before)).toBe(true);
        expect(putBlock(put, body, MARKDOWN)).toBe(put);
        expect(takeBlock(put, MARKDOWN)).toBe(before);
      }),
    );
  });

  it('is brought up to date where it stands, and text after it stays', () => {
    const put = `${String(putBlock('# Mine\n', 'old', MARKDOWN))}\nMore of mine\n`;
    const now = String(putBlock(put, body, MARKDOWN));
    expect(now).toContain(
      `# Mine\n\n<!-- banto:begin -->\n${body}\n<!-- banto:end -->\n\nMore of mine\n`,
    );
    expect(takeBlock(now, MARKDOWN)).toBe('# Mine\n\nMore of mine\n');
  });

  it.each([
    '<!-- banto:begin -->\nhalf',
    'half\n<!-- banto:end -->',
    '<!-- banto:end -->\n<!-- banto:begin -->',
    '<!-- banto:begin --><!-- banto:end --><!-- banto:begin --><!-- banto:end -->',
  ])('that is broken is not touched: %j', (text) => {
    expect(putBlock(text, body, MARKDOWN)).toBe(BROKEN);
    expect(takeBlock(text, MARKDOWN)).toBe(BROKEN);
  });

  it('has marks of its own in TOML', () => {
    expect(hasBlock(String(putBlock('a = 1\n', 'b = 2', TOML)), TOML)).toBe(true);
    expect(hasBlock('a = 1\n', TOML)).toBe(false);
  });
});
