// Where settings come from besides the file: flags of the command line, and the environment.

/** Flags by the name of their setting; undefined: not given. */
export type Flags = Readonly<Record<string, string | undefined>>;
export type Variables = Readonly<Record<string, string | undefined>>;
