// What agents report beside their work: what it used, and the pull request they would like to see opened.

/** Totals of one attempt so far; null: not known. */
export interface Usage {
  readonly model: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedTokens: number | null;
  readonly costUsd: number | null;
  readonly turns: number | null;
  readonly sessionId: string | null;
}

export interface NewPullRequest {
  readonly title: string;
  readonly body: string;
}

/** Sums over attempts. Money is counted in millionths of a dollar, so that sums stay whole numbers. */
export interface Used {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly costMicroUsd: number;
  readonly turns: number;
}

/** What one call added to its attempt; facts carry it, and every sum by agent, model and day is made of them. */
export interface UsageAdded extends Used {
  readonly model: string | null;
}

const MICRO = 1_000_000;

export const NOTHING_USED: Used = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  costMicroUsd: 0,
  turns: 0,
};

function most(before: number | null | undefined, told: number | null): number | null {
  if (before === null || before === undefined) return told;
  return told === null ? before : Math.max(before, told);
}

/** What is known after a call that told totals: they only rise, so that a late or repeated call is harmless. */
export function mergeUsage(before: Usage | null, told: Usage | null): Usage | null {
  if (told === null) return before;
  return {
    model: told.model ?? before?.model ?? null,
    inputTokens: most(before?.inputTokens, told.inputTokens),
    outputTokens: most(before?.outputTokens, told.outputTokens),
    cachedTokens: most(before?.cachedTokens, told.cachedTokens),
    costUsd: most(before?.costUsd, told.costUsd),
    turns: most(before?.turns, told.turns),
    sessionId: told.sessionId ?? before?.sessionId ?? null,
  };
}

const micros = (usd: number | null | undefined): number => Math.round((usd ?? 0) * MICRO);

/** Null: nothing was added. */
export function usageAdded(before: Usage | null, after: Usage | null): UsageAdded | null {
  if (after === null) return null;
  const rise = (key: 'inputTokens' | 'outputTokens' | 'cachedTokens' | 'turns') =>
    (after[key] ?? 0) - (before?.[key] ?? 0);
  const added = {
    inputTokens: rise('inputTokens'),
    outputTokens: rise('outputTokens'),
    cachedTokens: rise('cachedTokens'),
    costMicroUsd: micros(after.costUsd) - micros(before?.costUsd),
    turns: rise('turns'),
  };
  if (Object.values(added).every((value) => value === 0)) return null;
  return { ...added, model: after.model };
}

export function addUsed(used: Used | null, added: Used | null): Used | null {
  if (added === null) return used;
  const sum = used ?? NOTHING_USED;
  return {
    inputTokens: sum.inputTokens + added.inputTokens,
    outputTokens: sum.outputTokens + added.outputTokens,
    cachedTokens: sum.cachedTokens + added.cachedTokens,
    costMicroUsd: sum.costMicroUsd + added.costMicroUsd,
    turns: sum.turns + added.turns,
  };
}

export const usdOf = (costMicroUsd: number): number => costMicroUsd / MICRO;

const COUNTERS = [
  ['input_tokens', 'inputTokens'],
  ['output_tokens', 'outputTokens'],
  ['cached_tokens', 'cachedTokens'],
  ['cost_micro_usd', 'costMicroUsd'],
  ['turns', 'turns'],
] as const;

/** The counters of a day that spending of this agent raises: in all, `agent:{id}:…` and `model:{name}:…`. */
export function usageCounters(agentId: string, added: UsageAdded): [string, number][] {
  const heads = [
    '',
    `agent:${agentId}:`,
    ...(added.model === null ? [] : [`model:${added.model}:`]),
  ];
  return COUNTERS.flatMap(([name, key]) =>
    added[key] === 0 ? [] : heads.map((head): [string, number] => [`${head}${name}`, added[key]]),
  );
}
