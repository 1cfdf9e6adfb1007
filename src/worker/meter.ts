// What an attempt has used over all its runs, counted once however often a session is resumed.

import type { UsageBody } from '../doors/schema/usage.ts';
import type { Preset, Reading } from './presets/preset.ts';
import {
  NO_USAGE,
  type Price,
  type Prices,
  plus,
  priced,
  since,
  type Usage,
  usageBody,
} from './usage.ts';

export interface Meter {
  /** A run begins; `before`: what its session had counted so far. */
  begin(reading: Reading, before: Usage | null): void;
  /** The run is over. */
  end(): void;
  total(): Usage;
  /** Null: the tool says nothing about it. */
  body(): UsageBody | null;
}

/** `-m gpt-5`, `--model gpt-5`, `--model=gpt-5`: for tools that do not name it themselves. */
export function modelIn(args: readonly string[]): string | null {
  for (const [index, one] of args.entries()) {
    if (one === '-m' || one === '--model') return args[index + 1] ?? null;
    if (one.startsWith('--model=')) return one.slice('--model='.length);
  }
  return null;
}

export function createMeter(preset: Preset, extra: readonly string[], prices: Prices): Meter {
  let sum: Usage = NO_USAGE;
  let known = false;
  let current: { reading: Reading; before: Usage | null } | null = null;
  let sessionId: string | null = null;
  const ownPrice: Price | undefined = prices[preset.name];

  function named(usage: Usage): Usage {
    const model = usage.model ?? modelIn(extra);
    const table =
      model === null || ownPrice === undefined ? prices : { [model]: ownPrice, ...prices };
    const cost = priced({ ...usage, model: model ?? preset.name }, table).costUsd;
    return { ...usage, model, costUsd: cost };
  }

  /** Of the current run alone. */
  function ofRun(): Usage {
    if (current === null) return NO_USAGE;
    const { reading, before } = current;
    if (reading.usage === null) return reading.live === null ? NO_USAGE : named(reading.live);
    const own =
      preset.counts === 'session' && before !== null ? since(reading.usage, before) : reading.usage;
    return named(own);
  }

  function isKnown(): boolean {
    return known || (current?.reading.usage ?? current?.reading.live ?? null) !== null;
  }

  return {
    begin(reading, before) {
      current = { reading, before };
    },
    end() {
      known = isKnown();
      sum = plus(sum, ofRun());
      sessionId = current?.reading.sessionId ?? sessionId;
      current = null;
    },
    total: () => plus(sum, ofRun()),
    body() {
      if (!isKnown()) return null;
      return usageBody(plus(sum, ofRun()), current?.reading.sessionId ?? sessionId);
    },
  };
}
