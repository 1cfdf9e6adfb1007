// Secrets never end up in a log, wherever they come from.

const SHAPES =
  /\b(?:gh[a-z]_[A-Za-z0-9_.-]{10,}|github_pat_[A-Za-z0-9_]{10,}|banto_[A-Za-z0-9_-]{16,}|sk-(?:ant-|proj-)?[A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{30,}|xox[a-z]-[A-Za-z0-9-]{10,})/g;

const MARK = '[secret]';
const SHORTEST = 8;

export function redactor(secrets: readonly (string | null)[]): (text: string) => string {
  const known = secrets.filter(
    (secret): secret is string => secret !== null && secret.length >= SHORTEST,
  );
  return (text) =>
    known.reduce((sum, secret) => sum.replaceAll(secret, MARK), text.replaceAll(SHAPES, MARK));
}
