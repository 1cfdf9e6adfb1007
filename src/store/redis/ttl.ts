// How long keys live, in seconds: the one table. What is not here lives until it is removed.

export interface Ttls {
  /** `process:heartbeat:{agent}`: an agent that is silent longer is not active. */
  readonly heartbeat: number;
  /** `metrics:*`. */
  readonly temp_data: number;
  /** `stats:*` and `issues:completed:{date}`. */
  readonly stats: number;
  /** `task:result:{id}`. */
  readonly task_result: number;
  /** `review:delay:{id}`, renewed while it waits. */
  readonly review_delay: number;
  /** `tickets:agent:{agent}`, renewed by each ticket; never shorter than the longest wait. */
  readonly tickets_agent: number;
  /** `pace:*`, renewed by every request to the forge; longer only while it is told to be silent for longer. */
  readonly pace: number;
}

import { STATS_KEPT_MS } from '../../core/reporting/count-facts.ts';

const DAY = 86_400;

export const DEFAULT_TTLS: Ttls = {
  heartbeat: 1800,
  temp_data: 3600,
  stats: STATS_KEPT_MS / 1000,
  task_result: 30 * DAY,
  review_delay: DAY,
  tickets_agent: 600,
  pace: 7200,
};

/** Statistics of hours before this one (`2026-11-17T09`) are forgotten. */
export const firstHourKept = ({ stats }: Ttls, now: number): string =>
  new Date(Math.max(0, now - stats * 1000)).toISOString().slice(0, 13);
