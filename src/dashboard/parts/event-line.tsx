// One event as a line for people.

import { type Column, referenceOf } from '../data/columns.ts';
import type { Event } from '../data/contract.ts';
import { taskPath } from '../data/route.ts';
import { at } from '../words/time.ts';
import { reasonText, words } from '../words/words.ts';
import { type GlyphName, priorityWord } from './marks.tsx';

const GLYPHS: Readonly<Record<string, { glyph: GlyphName; tone: string }>> = {
  leased: { glyph: 'leased', tone: 'st-leased' },
  completed: { glyph: 'done', tone: 'st-done' },
  failed: { glyph: 'retry', tone: 'dim' },
  released: { glyph: 'retry', tone: 'dim' },
  unlocked: { glyph: 'retry', tone: 'dim' },
  requeued: { glyph: 'retry', tone: 'dim' },
  expired: { glyph: 'delayed', tone: 'st-delayed' },
  refused: { glyph: 'held', tone: 'st-held' },
  dead: { glyph: 'dead', tone: 'shu' },
  asked: { glyph: 'ask', tone: 'shu' },
  answered: { glyph: 'ask', tone: 'dim' },
  ledger_failed: { glyph: 'pen', tone: 'shu' },
  prioritized: { glyph: 'pen', tone: 'dim' },
  issue_added: { glyph: 'pen', tone: 'dim' },
  issue_edited: { glyph: 'pen', tone: 'dim' },
  issue_closed: { glyph: 'pen', tone: 'dim' },
  issue_reopened: { glyph: 'pen', tone: 'dim' },
  renewed: { glyph: 'pen', tone: 'dim' },
};

export function eventGlyph(event: Event): { glyph: GlyphName; tone: string } {
  const known = GLYPHS[event.type];
  if (event.type === 'completed' && typeof event['verdict'] === 'string') {
    return { glyph: 'review', tone: 'st-review' };
  }
  if (known !== undefined) return known;
  const state = (event.state ?? 'held') as Column;
  return { glyph: state, tone: `st-${state}` };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function acceptedText(kind: string): string {
  const { accepted } = words.value.events;
  return kind === 'review' || kind === 'fix' ? accepted[kind] : accepted.implement;
}

/** `task` is how the task is called: its number, or "it" in its own history. */
export function eventText(event: Event, task: string): string {
  const { events, priorities } = words.value;
  const agent = text(event['agent_id']);
  const readyAt = text(event['ready_at']);
  const reason = reasonText(text(event['reason']));
  const by = text(event['by']);
  const who = by === '' ? '' : events.by(by);
  switch (event.type) {
    case 'leased':
      return events.leased(agent, task, Number(event['attempt'] ?? 1));
    case 'completed': {
      if (event['verdict'] === 'approve') return events.approved(agent, task);
      if (event['verdict'] === 'request_changes') return events.changes(agent, task);
      return events.completed(agent, task);
    }
    case 'failed':
      return events.failed(agent, task, readyAt === '' ? null : at('clock', Date.parse(readyAt)));
    case 'released':
      return events.released(agent, task);
    case 'expired':
      return events.expired(agent, task);
    case 'refused':
      return events.refused(task);
    case 'unlocked':
      return events.unlocked(agent, task) + who;
    case 'dead':
      return events.dead(task);
    case 'cancelled':
      return events.cancelled(task) + who;
    case 'requeued':
      return events.requeued(task) + who;
    case 'prioritized':
      return events.prioritized(task, priorities[priorityWord(Number(event['priority']))]) + who;
    case 'asked':
      return events.asked(agent, task);
    case 'answered':
      return events.answered(task) + who;
    case 'budgeted':
      return events.budgeted(task) + who;
    case 'pull_linked':
      return events.pull_linked(Number(event['pr_number']));
    case 'ledger_failed':
      return events.ledger_failed(task);
    case 'issue_added':
    case 'issue_edited':
    case 'issue_closed':
    case 'issue_reopened':
      return events[event.type](task) + who;
    case 'accepted': {
      const found = acceptedText(text(event['kind']));
      return reason === '' ? found : `${found}: ${reason}`;
    }
    case 'held':
      return events.held(reason);
    case 'delayed':
      return events.delayed(reason, readyAt === '' ? '' : at('clock', Date.parse(readyAt)));
    case 'ready':
      return events.ready;
    case 'renewed':
      return events.renewed(agent, text(event['progress']));
    default:
      return events.other(event.type);
  }
}

/** Names between double stars are strong; nothing else in the text means anything. */
export function Sentence({ children }: { children: string }) {
  const parts = children.split(/\*\*(.+?)\*\*/);
  return (
    <>{parts.map((part, index) => (index % 2 === 1 ? <b key={`${index}`}>{part}</b> : part))}</>
  );
}

export function EventLine({ event }: { event: Event }) {
  const id = event.task_id;
  const name =
    id === undefined
      ? `${text(event['repository']).split('/').at(-1)}#${Number(event['number'])}`
      : referenceOf(id);
  const sentence = eventText(event, name);
  if (id === undefined) return <Sentence>{sentence}</Sentence>;
  return (
    <a class="plain" href={taskPath(id)}>
      <Sentence>{sentence}</Sentence>
    </a>
  );
}
