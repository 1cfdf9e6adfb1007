// Which branch names a stranger's text may ask for. Stricter than git: what passes here also prints and sorts sanely.

const MAX_BYTES = 200;
const FORBIDDEN = /[\p{C}\p{Z}~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$/u;
const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

function isSafePart(part: string): boolean {
  return !part.startsWith('.') && !part.endsWith('.lock');
}

/** Two refs of which one would have to be a folder and the other a file, or which are the same. */
function collides(name: string, other: string): boolean {
  const a = name.toLowerCase();
  const b = other.toLowerCase();
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

/** The rules of `git check-ref-format --branch` and ours: printable, short, never the default branch or in its way. */
export function isSafeRefName(name: string, defaultBranch: string): boolean {
  if (name === '' || name === '@' || name === 'HEAD' || name.startsWith('refs/')) return false;
  if (!name.isWellFormed() || new TextEncoder().encode(name).length > MAX_BYTES) return false;
  if (FORBIDDEN.test(name) || OBJECT_ID.test(name)) return false;
  return name.split('/').every(isSafePart) && !collides(name, defaultBranch);
}
