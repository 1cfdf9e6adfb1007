// Reading events of tools: text by strangers, so that every field is looked at before it is used.

export type Fields = Readonly<Record<string, unknown>>;

export function parseEvent(line: string): Fields | null {
  if (!line.startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(line);
    return fields(value);
  } catch {
    return null;
  }
}

export function fields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : null;
}

export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((sum, name) => fields(sum)?.[name], value);
}

export function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const MOST_NOTE = 300;

/** One line that says what the tool does. */
export function note(verb: string, what: unknown): string[] {
  const words = (text(what) ?? '').trim().split('\n')[0] ?? '';
  if (words === '') return [];
  const cut = words.length > MOST_NOTE ? `${words.slice(0, MOST_NOTE)}…` : words;
  return [`${verb}: ${cut}`];
}

/** What it says, with its own lines. */
export function said(what: string): string[] {
  return what.trim() === '' ? [] : what.trim().split('\n');
}
