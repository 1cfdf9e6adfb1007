// What may happen to the calls of one instance: nothing on its own. Each trouble is armed by a step of the run and hits
// one certain call, so that a run is repeated, and shortened, exactly.

/** `before`: the step never happened. `after`: it did, but the caller is told otherwise, or nothing. */
export type When = 'before' | 'after';

export type Trouble =
  | { readonly what: 'lost'; readonly when: When }
  | { readonly what: 'killed'; readonly when: When }
  | { readonly what: 'slow'; readonly when: When; readonly ms: number }
  | { readonly what: 'limited'; readonly ms: number }
  | { readonly what: 'refused' };

interface Armed {
  readonly trouble: Trouble;
  readonly meant: (verb: string) => boolean;
  /** So many calls that are meant go well before. */
  left: number;
  struck: () => void;
}

export interface Troubles {
  arm(trouble: Trouble, skip: number, meant?: (verb: string) => boolean, struck?: () => void): void;
  /** What happens to this call; null: nothing. */
  meets(verb: string): Trouble | null;
  clear(): void;
}

export function createTroubles(): Troubles {
  let armed: Armed[] = [];
  return {
    arm(trouble, skip, meant = () => true, struck = () => undefined) {
      armed.push({ trouble, meant, left: skip, struck });
    },
    meets(verb) {
      if (armed.length === 0) return null;
      for (const one of armed) {
        if (!one.meant(verb)) continue;
        if (one.left > 0) {
          one.left -= 1;
          continue;
        }
        armed = armed.filter((other) => other !== one);
        one.struck();
        return one.trouble;
      }
      return null;
    },
    clear() {
      armed = [];
    },
  };
}
