// The pace that all instances share towards one forge: decided here by the rules of core, on a text in Redis that is
// set if nobody else has changed it, by Redis' own clock. While Redis is away nothing may leave: every call says
// `busy`.

import { busy } from '../../../core/errors.ts';
import type { LimitReport, OpenPace, PaceLimits, Resource } from '../../../core/pace/pace.ts';
import {
  block,
  EMPTY_PACE,
  land,
  leaveNow,
  noteBudget,
  type PaceState,
  statusNow,
  takePlace,
} from '../../../core/pace/pace-state.ts';
import type { Parts } from '../parts.ts';

type Budget = NonNullable<LimitReport['budget']>;

/** With the generation of the data that it was counted in. */
type Kept = PaceState & { readonly generation: string };

/** What was there, and when. */
interface Swapped {
  readonly done: boolean;
  readonly text: string;
  readonly now: number;
  readonly lostAt: number | null;
}

const MOST_TRIES = 200;
const MINUTE_MS = 60_000;
/** No text is like this: asks what is there. */
const UNKNOWN = '?';

/** `now` never jumps: what the forge asked for is remembered by it. */
export function createPaces(
  { link, keys, ttls }: Parts,
  generation: () => string,
  now: () => number,
): OpenPace {
  async function swap(...args: [key: string, expected: string, next: string, seconds: string]) {
    const reply = await link.run('swap_text', args);
    const [word, text = '', at, lostAt = ''] = reply as string[];
    const lost = lostAt === '' ? null : Number(lostAt);
    return { done: word === 'ok', text, now: Number(at), lostAt: lost } satisfies Swapped;
  }

  /** What was sent before data was lost nobody knows any more: after a minute of silence it does not matter. */
  function stateOf({ text, lostAt }: Swapped): Kept {
    const current = generation();
    const kept = text === '' ? { ...EMPTY_PACE, generation: '' } : (JSON.parse(text) as Kept);
    if (kept.generation === current) return kept;
    const silent = lostAt === null ? kept : block(kept, lostAt + MINUTE_MS);
    return { ...silent, generation: current };
  }

  return (forge, limits: PaceLimits) => {
    const key = `${keys.at.pace_state}${forge}`;
    // What this instance was told and Redis may not know: the answer came while it was away, or it has lost data.
    let landed: string[] = [];
    let unsaid = new Map<Resource, Budget & { readonly toldAt: number }>();
    let blockedUntil = 0;

    function tellAll(
      before: PaceState,
      telling: { landed: readonly string[]; unsaid: typeof unsaid },
      at: number,
    ): PaceState {
      let state = land(before, telling.landed, at);
      if (blockedUntil > now()) state = block(state, at + blockedUntil - now());
      for (const { toldAt, ...budget } of telling.unsaid.values()) {
        state = noteBudget(state, { ...budget, resetMs: budget.resetMs - (now() - toldAt) }, at);
      }
      return state;
    }

    async function step<Answer>(
      ask: (state: PaceState, at: number) => { state: PaceState; answer: Answer },
    ): Promise<Answer> {
      const telling = { landed, unsaid };
      landed = [];
      unsaid = new Map();
      try {
        let read: Swapped = await swap(key, UNKNOWN, '', '0');
        for (let tries = 0; tries < MOST_TRIES; tries += 1) {
          const before = stateOf(read);
          const { state, answer } = ask(tellAll(before, telling, read.now), read.now);
          const text = JSON.stringify({ ...state, generation: before.generation } satisfies Kept);
          if (text === read.text) return answer;
          const blocked = Math.ceil((state.blockedUntil - read.now) / 1000) + 60;
          read = await swap(key, read.text, text, String(Math.max(ttls.pace, blocked)));
          if (read.done) return answer;
        }
        throw busy(new Error('The pace is asked for by too many at once.'));
      } catch (error) {
        landed = [...telling.landed, ...landed].slice(-limits.atOnce);
        unsaid = new Map([...telling.unsaid, ...unsaid]);
        throw error;
      }
    }

    return {
      take: (line, mostWaitMs) =>
        step((state, at) => takePlace(state, line, mostWaitMs, limits, at)),
      leave: (id, as) => step((state, at) => leaveNow(state, id, as, limits, at)),
      async arrive(id, { blockedMs, budget }) {
        landed.push(id);
        if (budget !== null) unsaid.set(budget.of, { ...budget, toldAt: now() });
        if (blockedMs > 0) blockedUntil = Math.max(blockedUntil, now() + blockedMs);
        // Whoever asks next says it again, and hears of what is wrong.
        await step((state) => ({ state, answer: null })).catch(() => undefined);
      },
      status: () => step((state, at) => ({ state, answer: statusNow(state, at) })),
    };
  };
}
