// A check of `banto doctor`, and what it found.

export interface Finding {
  readonly status: 'ok' | 'warning' | 'problem';
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
}

export interface Check {
  readonly name: string;
  /** A check that throws has found a problem. */
  run(): Promise<readonly Finding[]>;
}

export const ok = (message: string): Finding => ({ status: 'ok', message });
export const problem = (message: string, fix?: string): Finding => ({
  status: 'problem',
  message,
  ...(fix === undefined ? {} : { fix }),
});
