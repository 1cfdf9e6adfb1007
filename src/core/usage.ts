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
