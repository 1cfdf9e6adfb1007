// What a setting is: its name, its JSON schema, how its text form is read, and the words for what is allowed.
// The few checks are written out, because loading a validator would cost every command half a second;
// a test holds them against TypeBox.

import { commaList } from '../core/text/comma-list.ts';

export interface Kind {
  /** For the shipped schema; `accepts` says the same. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly accepts: (value: unknown) => boolean;
  /** Ends the sentence "it must be …". */
  readonly allowed: string;
  /** Flags and variables are text; what cannot be read comes back as it is and fails the schema. */
  readonly read: (text: string) => unknown;
}

export interface Setting {
  /** The environment variable; in the file it is the same word in lower case. */
  readonly name: string;
  /** Its word in the file, where it is another one. */
  readonly key?: string;
  readonly kind: Kind;
  /** The option of the command line that stands above it, where there is one. */
  readonly flag?: string;
  /** Undefined: none. */
  readonly fallback?: unknown;
  readonly about: string;
  /** Its value is never shown, in no error and no report. */
  readonly secret?: true;
  /** The path of a file or folder: relative to where it was written. */
  readonly path?: true;
  /** Read by commands that talk to a server, not by the server itself. */
  readonly client?: true;
  /** Makes no sense in a file: it belongs to one task or one shell. */
  readonly variableOnly?: true;
}

export function fileKey(setting: Setting): string {
  return setting.key ?? setting.name.toLowerCase();
}

export function wholeNumber(minimum: number, maximum: number): Kind {
  return {
    schema: { type: 'integer', minimum, maximum },
    accepts: (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum,
    allowed: `a whole number from ${minimum} to ${maximum}`,
    read: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text),
  };
}

/** A limit that may be left out: `none` in a variable, null in the file. */
export function limit(minimum: number, maximum: number, { whole = false } = {}): Kind {
  return {
    schema: { type: [whole ? 'integer' : 'number', 'null'], minimum, maximum },
    accepts: (value) =>
      value === null ||
      (typeof value === 'number' &&
        value >= minimum &&
        value <= maximum &&
        (!whole || Number.isInteger(value))),
    allowed: `a ${whole ? 'whole ' : ''}number from ${minimum} to ${maximum}, or "none"`,
    read: (text) => {
      if (text.trim().toLowerCase() === 'none') return null;
      return /^\d{1,15}(?:\.\d{1,6})?$/.test(text) ? Number(text) : text;
    },
  };
}

const YES = new Set(['true', 'yes', 'on', '1']);
const NO = new Set(['false', 'no', 'off', '0']);

export function yesOrNo(): Kind {
  return {
    schema: { type: 'boolean' },
    accepts: (value) => typeof value === 'boolean',
    allowed: 'true or false',
    read: (text) => {
      const word = text.toLowerCase();
      if (YES.has(word)) return true;
      return NO.has(word) ? false : text;
    },
  };
}

export function oneOf(words: readonly string[]): Kind {
  return {
    schema: { enum: [...words] },
    accepts: (value) => typeof value === 'string' && words.includes(value),
    allowed: `one of ${words.join(', ')}`,
    read: (text) => text.toLowerCase(),
  };
}

const MAX_TEXT = 4096;

function isText(value: unknown, pattern: RegExp, maxLength: number): value is string {
  if (typeof value !== 'string' || value === '') return false;
  return (
    value.length <= 2 * maxLength && Array.from(value).length <= maxLength && pattern.test(value)
  );
}

export function text(allowed: string, pattern: string, maxLength = MAX_TEXT): Kind {
  const expression = new RegExp(pattern, 'u');
  return {
    schema: { type: 'string', minLength: 1, maxLength, pattern },
    accepts: (value) => isText(value, expression, maxLength),
    allowed,
    read: (value) => value,
  };
}

/** A comma list as a variable, an array in the file. `minItems` 0: an empty list is written as `none`. */
export function list(
  allowed: string,
  pattern: string,
  { minItems = 0, maxItems = 100, maxLength = 50 } = {},
): Kind {
  const expression = new RegExp(pattern, 'u');
  return {
    schema: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength, pattern },
      minItems,
      maxItems,
      uniqueItems: true,
    },
    accepts: (value) =>
      Array.isArray(value) &&
      value.length >= minItems &&
      value.length <= maxItems &&
      new Set(value).size === value.length &&
      value.every((item) => isText(item, expression, maxLength)),
    allowed: minItems === 0 ? `${allowed}, or "none"` : allowed,
    read: (value) => {
      if (minItems === 0 && value.trim().toLowerCase() === 'none') return [];
      return commaList(value);
    },
  };
}
