// A sentence for people, and what it was made of: those who read another language make their own sentence of that.

export interface Because {
  /** In English. */
  readonly detail: string;
  /** The sentence as a word for programs. */
  readonly code: string;
  /** What stands in it, by name; nothing that was not there. */
  readonly values: Readonly<Record<string, string>>;
}

export function because(
  code: string,
  detail: string,
  values: Readonly<Record<string, string | number | null>> = {},
): Because {
  const present = Object.entries(values).filter(([, value]) => value !== null && value !== '');
  return {
    detail,
    code,
    values: Object.fromEntries(present.map(([name, value]) => [name, String(value)])),
  };
}
