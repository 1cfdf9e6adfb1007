// The rows of the timeline: every agent that did something in that time, then the reviews that wait for somebody.

import { useMemo } from 'preact/hooks';
import { now } from '../../data/clock.ts';
import type { Card, LeaseBar } from '../../data/contract.ts';
import { fleet } from '../../data/derived.ts';
import type { Member } from '../../data/fleet.ts';
import { leases } from '../../data/leases.ts';
import { cards } from '../../data/state.ts';
import { duration } from '../../words/time.ts';
import { words } from '../../words/words.ts';

const MOST_ROWS = 300;

export interface Row {
  readonly name: string;
  readonly sub: string;
  readonly hot: boolean;
  readonly bars: readonly LeaseBar[];
  readonly waiting: readonly Card[];
}

function rowOf(member: Member | undefined, name: string, bars: readonly LeaseBar[]): Row {
  const { states } = words.value.agents;
  if (member === undefined) return { name, sub: '', hot: false, bars, waiting: [] };
  const { doing, agent } = member;
  const quiet = ['waiting', 'idle', 'stopped'].includes(doing);
  const silent = duration(now.value - Date.parse(agent.last_seen_at));
  return {
    name,
    sub: quiet && doing !== 'waiting' ? `${states[doing]} ${silent}` : states[doing],
    hot: doing === 'stopped' || doing === 'asking',
    bars,
    waiting: [],
  };
}

export function useRows(range: { from: number; to: number }): Row[] {
  const byAgent = useMemo(() => {
    const inView = leases.value.filter(
      ({ started_at, ended_at }) =>
        Date.parse(started_at) <= range.to &&
        (ended_at === null || Date.parse(ended_at) >= range.from),
    );
    return Map.groupBy(inView, ({ agent_id }) => agent_id);
  }, [leases.value, range.from, range.to]);
  const members = new Map(fleet.value.map((member) => [member.agent.agent_id, member]));
  const names = new Set([
    ...fleet.value.filter(({ doing }) => doing !== 'idle').map(({ agent }) => agent.agent_id),
    ...byAgent.keys(),
  ]);
  const rows = [...names]
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .slice(0, MOST_ROWS)
    .map((name) => rowOf(members.get(name), name, byAgent.get(name) ?? []));
  const waiting = [...cards.value.values()]
    .filter(({ kind, state }) => kind === 'review' && state === 'ready')
    .sort((a, b) => a.since.localeCompare(b.since));
  if (waiting.length === 0) return rows;
  const { timeline } = words.value;
  const sub = timeline.waits(waiting.length);
  return [...rows, { name: timeline.waiting, sub, hot: false, bars: [], waiting }];
}
