// The regular expressions that stand in a source file. A small scanner instead of a parser: it knows strings,
// templates, comments, and where a slash divides.

export interface RegexLiteral {
  readonly source: string;
  readonly flags: string;
}

const BEFORE_REGEX = /(?:^|[=(,:;[!&|?{}+>]|\breturn|\bof|\bcase)$/;

function endOfString(text: string, from: number): number {
  const quote = text[from];
  let at = from + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function endOfRegex(text: string, from: number): number | null {
  let inClass = false;
  for (let at = from + 1; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\n') return null;
    if (char === '\\') at += 1;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '/' && !inClass) return at;
  }
  return null;
}

export function regexLiterals(text: string): RegexLiteral[] {
  const found: RegexLiteral[] = [];
  let code = '';
  for (let at = 0; at < text.length; ) {
    const char = text[at] ?? '';
    if (text.startsWith('//', at)) {
      const end = text.indexOf('\n', at);
      at = end === -1 ? text.length : end;
    } else if (text.startsWith('/*', at)) {
      at = text.indexOf('*/', at) + 2;
    } else if (char === "'" || char === '"' || char === '`') {
      const end = endOfString(text, at);
      // What stands inside `${…}` is code of its own.
      if (char === '`') {
        for (const [, inner = ''] of text.slice(at, end).matchAll(/\$\{([^}]*)\}/g)) {
          found.push(...regexLiterals(inner));
        }
      }
      code += 'x';
      at = end;
    } else {
      const end =
        char === '/' && BEFORE_REGEX.test(code.slice(-20).trimEnd()) ? endOfRegex(text, at) : null;
      if (end === null) {
        code += char;
        at += 1;
      } else {
        const flags = /^[a-z]*/.exec(text.slice(end + 1, end + 10))?.[0] ?? '';
        found.push({ source: text.slice(at + 1, end), flags });
        code += 'x';
        at = end + 1 + flags.length;
      }
    }
  }
  return found;
}
