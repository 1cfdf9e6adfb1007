// The pace that all instances share towards one forge. Each call is one step in Redis, by Redis' own clock. While
// Redis is away nothing may leave: every call says `busy`.

import {
  ASK_AGAIN_MS,
  FLIGHT_MS,
  type Heard,
  type OpenPace,
  type Reason,
  type Resource,
  SAME_RESET_MS,
  TURN_MS,
} from '../../core/pace.ts';
import type { Link, Reply } from './link.ts';

type Budget = NonNullable<Heard['budget']>;

/** `now` never jumps: what the forge asked for is remembered by it. */
export function createPaces(link: Link, now: () => number): OpenPace {
  return (forge, limits) => {
    // What this instance was told and Redis may not know: the answer came while it was away, or it has lost data.
    let landed: string[] = [];
    let unsaid = new Map<Resource, Budget & { readonly heardAt: number }>();
    let blockedUntil = 0;

    async function step(asked: object): Promise<Reply> {
      const telling = { landed, unsaid };
      landed = [];
      unsaid = new Map();
      try {
        return await link.run('pace', {
          forge,
          limits,
          turnMs: TURN_MS,
          flightMs: FLIGHT_MS,
          againMs: ASK_AGAIN_MS,
          sameMs: SAME_RESET_MS,
          blockedMs: Math.max(0, blockedUntil - now()),
          landed: telling.landed,
          heard: [...telling.unsaid.values()].map(({ heardAt, ...budget }) => ({
            ...budget,
            resetMs: budget.resetMs - (now() - heardAt),
          })),
          ...asked,
        });
      } catch (error) {
        landed = [...telling.landed, ...landed].slice(-limits.atOnce);
        unsaid = new Map([...telling.unsaid, ...unsaid]);
        throw error;
      }
    }

    return {
      async take(line, mostWaitMs) {
        const most = Number.isFinite(mostWaitMs) ? mostWaitMs : null;
        const [word, wait] = await step({ line, mostWaitMs: most });
        const waitMs = Number(wait);
        return word === 'ok' ? { waitMs } : { waitMs, reason: word as Reason };
      },
      async leave(id, as) {
        const [word, wait] = await step({ id, as });
        return word === 'ok' ? null : { waitMs: Number(wait), reason: word as Reason };
      },
      async arrive(id, { blockedMs, budget }) {
        landed.push(id);
        if (budget !== null) unsaid.set(budget.of, { ...budget, heardAt: now() });
        if (blockedMs > 0) blockedUntil = Math.max(blockedUntil, now() + blockedMs);
        // Whoever asks next says it again, and hears of what is wrong.
        await step({}).catch(() => undefined);
      },
      async known() {
        const [, , blocked, limit, remaining, resetMs] = await step({});
        const budget =
          limit === ''
            ? null
            : { limit: Number(limit), remaining: Number(remaining), resetMs: Number(resetMs) };
        return { blockedMs: Number(blocked), budget };
      },
    };
  };
}
