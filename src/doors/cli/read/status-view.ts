// What `banto status` shows, as lines: pure, so that a redraw is only a new set of lines.

import { explainReason } from '../../../core/pairing/why.ts';
import { type AgentStatus, STATUS_MEANS } from '../../../core/reporting/agent-status.ts';
import { parseTaskId, TASK_STATES } from '../../../core/task.ts';
import type { AgentAnswer } from '../../schema/agents.ts';
import type { QueueAnswer } from '../../schema/queue.ts';
import type { ListedTaskAnswer } from '../../schema/task.ts';
import type { Paint } from '../shell.ts';
import { clean, cut, table } from '../terminal/text.ts';
import { clockTime, duration, relative } from '../terminal/time-text.ts';
import { agentRow } from './fleet.ts';
import { forPeople, needsPerson } from './for-people.ts';
import type { Snapshot } from './snapshot.ts';

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

/** The flags that stop hand-out for a part: the names behind `maintenance:`. */
function pausedParts(flags: object): string[] {
  return Object.entries(flags).flatMap(([name, value]) =>
    name.startsWith('maintenance:') && value === true ? [name.slice('maintenance:'.length)] : [],
  );
}

function health({ snapshot, columns, paint }: Scene): string {
  const { ready, flags } = snapshot;
  const wrong = [
    ready.store.ok ? null : `store: ${ready.store.error ?? 'not reachable'}`,
    ready.forge.ok ? null : `forge: ${ready.forge.error ?? 'not reachable'}`,
    ready.mirrored ? null : 'the backlog is still being read',
  ].filter((part) => part !== null);
  if (wrong.length > 0) return paint('red', cut(`not ready (${clean(wrong.join('; '))})`, columns));
  if (flags.maintenance) return paint('yellow', 'paused by an operator (banto resume)');
  const parts = pausedParts(flags);
  if (parts.length === 0) return paint('green', 'ready');
  return paint('yellow', cut(clean(`ready; paused for ${parts.join(', ')}`), columns));
}

function counts(queue: QueueAnswer): string {
  return TASK_STATES.map((state) => `${state} ${queue.by_state[state]}`).join('  ');
}

function vitals(queue: QueueAnswer): string[] {
  const { high, normal, low } = queue.by_priority;
  const age = queue.oldest_age_seconds;
  const { pending, failing } = queue.outbox;
  const parts = [
    `ready: high ${high}, normal ${normal}, low ${low}`,
    ...(age === null ? [] : [`oldest ${duration(age)}`]),
    `agents waiting ${queue.waiting}`,
  ];
  return [
    parts.join('  ·  '),
    ...(pending + failing === 0 ? [] : [`ledger writes ${pending} pending, ${failing} failing`]),
  ];
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

/** `#7 implement`; with several repositories `shop#7 implement`. An id is for programs. */
function nameOf(id: string, several: boolean): string {
  const name = parseTaskId(id);
  if (name === null) return id;
  return `${several ? name.repository : ''}#${name.number} ${name.kind}`;
}

function hasSeveral({ leased, held, dead, approved }: Snapshot): boolean {
  const all = [...leased, ...held, ...dead, ...approved];
  return new Set(all.map((task) => task.repository)).size > 1;
}

type Row = readonly string[];

function leasedRows({ snapshot, notes, now }: Scene, several: boolean): Row[] {
  return snapshot.leased.map((task) => {
    const note = notes?.get(task.task_id);
    const words = note === undefined ? task.title : `${task.title} — ${note}`;
    const holder = task.lease?.agent_id ?? '';
    return [nameOf(task.task_id, several), holder, timeLeft(task, now), words];
  });
}

/** The reason before the title: it is what somebody looks for here. */
function heldRows(held: readonly ListedTaskAnswer[], several: boolean, columns: number): Row[] {
  const room = Math.max(20, Math.floor(columns / 2));
  return held.map((task) => [
    nameOf(task.task_id, several),
    cut(clean(task.reason === null ? '' : explainReason(task.reason)), room),
    task.title,
  ]);
}

function statusLegend(agents: readonly AgentAnswer[]): Row[] {
  const shown = new Set(agents.map((agent) => agent.status));
  return Object.entries(STATUS_MEANS).filter(([status]) => shown.has(status as AgentStatus));
}

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
  readonly total: number;
  /** Left out first where there is no room. */
  readonly legend?: readonly string[];
}

/** Sections share the rows that are left; what does not fit is counted. */
function fitted(section: Section, rows: number, paint: Paint): string[] {
  if (section.total === 0 || rows < 3) return [];
  const room = Math.max(1, rows - 2);
  const shown = section.lines.slice(0, section.lines.length > room ? room - 1 : room);
  const hidden = section.total - shown.length;
  const { legend = [] } = section;
  return [
    '',
    paint('bold', `${section.title} (${section.total})`),
    ...shown,
    ...(hidden > 0 ? [paint('dim', `… and ${hidden} more`)] : []),
    ...(shown.length + legend.length + 2 <= rows ? legend : []),
  ];
}

function sectionsOf(scene: Scene): Section[] {
  const { snapshot, now, columns, paint } = scene;
  const { queue, agents } = snapshot;
  const several = hasSeveral(snapshot);
  const people = forPeople(snapshot);
  const held = snapshot.held.filter((task) => !needsPerson(task));
  const hidden = snapshot.held.length - held.length;
  const delayed = queue.delayed.map(({ task_id, ready_at }) => [
    nameOf(task_id, several),
    clockTime(ready_at, now),
    relative(ready_at, now),
  ]);
  const rows = agents.map((agent) => {
    const holds = agent.holds.map((id) => nameOf(id, several));
    return agentRow({ ...agent, holds }, now);
  });
  return [
    {
      title: 'Waits for a person',
      lines: table(
        // One long question must not push the titles of all others over the edge.
        people.map(({ task, words }) => [
          nameOf(task.task_id, several),
          `${words} · ${task.title}`,
        ]),
        columns,
      ),
      total: people.length,
    },
    {
      title: 'Leased',
      lines: table(leasedRows(scene, several), columns),
      total: queue.by_state.leased,
    },
    {
      title: 'Held',
      lines: table(heldRows(held, several, columns), columns),
      total: held.length === 0 ? 0 : queue.by_state.held - hidden,
    },
    { title: 'Delayed', lines: table(delayed, columns), total: queue.by_state.delayed },
    {
      title: 'Agents',
      lines: table(rows, columns),
      total: agents.length,
      legend: table(statusLegend(agents), columns).map((line) => paint('dim', line)),
    },
  ];
}

export function draw(scene: Scene): string[] {
  const { snapshot, now, columns, paint } = scene;
  const { queue } = snapshot;
  const lines = [
    paint('bold', cut(`Banto at ${clean(snapshot.address)}`, columns)),
    health(scene),
    ...[counts(queue), ...vitals(queue), ...budget(queue, now)].map((line) => cut(line, columns)),
    ...(scene.lost === null ? [] : [paint('red', cut(clean(scene.lost), columns))]),
  ];
  const sections = sectionsOf(scene);
  for (const [index, section] of sections.entries()) {
    const left = scene.rows - lines.length;
    const later = sections.slice(index + 1).filter((other) => other.total > 0).length;
    lines.push(...fitted(section, Math.floor(left / (later + 1)), paint));
  }
  return lines;
}
