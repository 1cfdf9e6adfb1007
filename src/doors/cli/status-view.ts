// What `banto status` shows, as lines: pure, so that a redraw is only a new set of lines.

import { TASK_STATES } from '../../core/task.ts';
import type { AgentAnswer } from '../schema/agents.ts';
import type { ReadyAnswer } from '../schema/ops.ts';
import type { QueueAnswer } from '../schema/queue.ts';
import type { FlagsAnswer } from '../schema/settings.ts';
import type { ListedTaskAnswer } from '../schema/task.ts';
import { agentRow } from './fleet.ts';
import type { Paint } from './shell.ts';
import { clean, cut, table } from './text.ts';
import { clockTime, duration, relative } from './time-text.ts';

/** The JSON of `banto status --json`: the API's own answers side by side. */
export interface Snapshot {
  readonly address: string;
  readonly ready: ReadyAnswer;
  readonly flags: FlagsAnswer;
  readonly queue: QueueAnswer;
  readonly leased: readonly ListedTaskAnswer[];
  readonly agents: readonly AgentAnswer[];
}

export interface Scene {
  readonly snapshot: Snapshot;
  /** The last progress notes that were heard of, by task. */
  readonly notes?: ReadonlyMap<string, string>;
  readonly now: number;
  readonly columns: number;
  /** The rows of the screen; infinite where there is no screen. */
  readonly rows: number;
  readonly paint: Paint;
  /** Set while the connection is lost. */
  readonly lost: string | null;
}

function health({ snapshot, columns, paint }: Scene): string {
  const { ready, flags } = snapshot;
  const wrong = [
    ready.store.ok ? null : `store: ${ready.store.error ?? 'not reachable'}`,
    ready.forge.ok ? null : `forge: ${ready.forge.error ?? 'not reachable'}`,
    ready.mirrored ? null : 'the backlog is still being read',
  ].filter((part) => part !== null);
  if (wrong.length > 0) return paint('red', cut(`not ready (${clean(wrong.join('; '))})`, columns));
  return flags.maintenance ? paint('yellow', 'paused (banto resume)') : paint('green', 'ready');
}

function counts(queue: QueueAnswer): string {
  return TASK_STATES.map((state) => `${state} ${queue.by_state[state]}`).join('  ');
}

function vitals(queue: QueueAnswer): string {
  const { high, normal, low } = queue.by_priority;
  const age = queue.oldest_age_seconds;
  return [
    `ready: high ${high}, normal ${normal}, low ${low}`,
    ...(age === null ? [] : [`oldest ${duration(age)}`]),
    `agents waiting ${queue.waiting}`,
    `ledger writes ${queue.outbox.pending} pending, ${queue.outbox.failing} failing`,
  ].join('  ·  ');
}

function budget({ forge_budget }: QueueAnswer, now: number): string[] {
  if (forge_budget === null) return [];
  const { limit, remaining, reset_at, blocked_until } = forge_budget;
  const left = `GitHub: ${remaining} of ${limit} requests left until ${clockTime(reset_at, now)}`;
  if (blocked_until === null) return [left];
  return [`${left}  ·  silent until ${clockTime(blocked_until, now)}, as it asked`];
}

function timeLeft(task: ListedTaskAnswer, now: number): string {
  if (task.lease === null) return '';
  const seconds = (Date.parse(task.lease.expires_at) - now) / 1000;
  return seconds > 0 ? `${duration(seconds)} left` : 'expiring';
}

function leasedRows({ snapshot, notes, now }: Scene): string[][] {
  return snapshot.leased.map((task) => {
    const note = notes?.get(task.task_id);
    const words = note === undefined ? task.title : `${task.title} — ${note}`;
    return [task.task_id, task.lease?.agent_id ?? '', timeLeft(task, now), words];
  });
}

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
  readonly total: number;
}

/** Sections share the rows that are left; what does not fit is counted. */
function fitted(section: Section, rows: number, paint: Paint): string[] {
  if (section.total === 0 || rows < 3) return [];
  const room = Math.max(1, rows - 2);
  const shown = section.lines.slice(0, section.lines.length > room ? room - 1 : room);
  const hidden = section.total - shown.length;
  return [
    '',
    paint('bold', `${section.title} (${section.total})`),
    ...shown,
    ...(hidden > 0 ? [paint('dim', `… and ${hidden} more`)] : []),
  ];
}

export function draw(scene: Scene): string[] {
  const { snapshot, now, columns, paint } = scene;
  const { queue } = snapshot;
  const lines = [
    paint('bold', cut(`Banto at ${clean(snapshot.address)}`, columns)),
    health(scene),
    cut(counts(queue), columns),
    cut(vitals(queue), columns),
    ...budget(queue, now).map((line) => cut(line, columns)),
    ...(scene.lost === null ? [] : [paint('red', cut(clean(scene.lost), columns))]),
  ];
  const delayed = queue.delayed.map(({ task_id, ready_at }) => [
    task_id,
    clockTime(ready_at, now),
    relative(ready_at, now),
  ]);
  const agents = snapshot.agents.map((agent) => agentRow(agent, now));
  const sections: Section[] = [
    { title: 'Leased', lines: table(leasedRows(scene), columns), total: queue.by_state.leased },
    { title: 'Delayed', lines: table(delayed, columns), total: queue.by_state.delayed },
    { title: 'Agents', lines: table(agents, columns), total: agents.length },
  ];
  for (const [index, section] of sections.entries()) {
    const left = scene.rows - lines.length;
    const later = sections.slice(index + 1).filter((other) => other.total > 0).length;
    lines.push(...fitted(section, Math.floor(left / (later + 1)), paint));
  }
  return lines;
}
