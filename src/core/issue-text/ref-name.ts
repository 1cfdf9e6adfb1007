// Which branch names a stranger's text may ask for. Far stricter than git: a name stands in prompts and on command
// lines, so that nothing in it may mean something to a shell.

const MAX_LENGTH = 200;
const LETTERS = /^[A-Za-z0-9._/+-]+$/;
const FORBIDDEN = /\.\.|\/\/|^[-/]|[/.]$/;
/** A local branch `origin/main` would be what people get who mean the remote's. */
const SHADOWS = /^(?:heads|tags|remotes|origin|upstream)(?:\/|$)/i;
const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

function isSafePart(part: string): boolean {
  return !part.startsWith('.') && !part.endsWith('.lock');
}

/** Two refs of which one would have to be a folder and the other a file, or which are the same. */
export function collides(name: string, other: string): boolean {
  const a = name.toLowerCase();
  const b = other.toLowerCase();
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

/** Letters, digits and `._/+-`, in a form that `git check-ref-format --branch` takes, and short. */
function isPlainRefName(name: string): boolean {
  if (name === 'HEAD' || name.startsWith('refs/') || name.length > MAX_LENGTH) return false;
  if (!LETTERS.test(name) || FORBIDDEN.test(name) || OBJECT_ID.test(name)) return false;
  if (SHADOWS.test(name)) return false;
  return name.split('/').every(isSafePart);
}

/** May stand in a prompt and be written to: a plain name, never the default branch or in its way. */
export function isSafeRefName(name: string, defaultBranch: string): boolean {
  return isPlainRefName(name) && !collides(name, defaultBranch);
}
