// What a setting is: its name, its JSON schema, how its text form is read, and the words for what is allowed.

import { type TSchema, Type } from 'typebox';

export interface Kind {
  readonly schema: TSchema;
  /** Ends the sentence "it must be …". */
  readonly allowed: string;
  /** Flags and variables are text; what cannot be read comes back as it is and fails the schema. */
  readonly read: (text: string) => unknown;
}

export interface Setting {
  /** The environment variable; in the file it is the same word in lower case. */
  readonly name: string;
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
  return setting.name.toLowerCase();
}

export function wholeNumber(minimum: number, maximum: number): Kind {
  return {
    schema: Type.Integer({ minimum, maximum }),
    allowed: `a whole number from ${minimum} to ${maximum}`,
    read: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text),
  };
}

const YES = new Set(['true', 'yes', 'on', '1']);
const NO = new Set(['false', 'no', 'off', '0']);

export function yesOrNo(): Kind {
  return {
    schema: Type.Boolean(),
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
    schema: Type.Enum([...words]),
    allowed: `one of ${words.join(', ')}`,
    read: (text) => text.toLowerCase(),
  };
}

const MAX_TEXT = 4096;

export function text(allowed: string, pattern: string, maxLength = MAX_TEXT): Kind {
  return {
    schema: Type.String({ minLength: 1, maxLength, pattern }),
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
  return {
    schema: Type.Array(Type.String({ minLength: 1, maxLength, pattern }), {
      minItems,
      maxItems,
      uniqueItems: true,
    }),
    allowed: minItems === 0 ? `${allowed}, or "none"` : allowed,
    read: (value) => {
      if (minItems === 0 && value.trim().toLowerCase() === 'none') return [];
      return value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
    },
  };
}
