// Turns events into lines a person can follow.

import { explainReason } from '../core/pairing/why.ts';
import { parseTaskId } from '../core/task.ts';

export interface StoryEvent {
  readonly type: string;
  readonly task_id?: string | undefined;
  readonly [field: string]: unknown;
}

function subject(taskId: string | undefined, titles: ReadonlyMap<number, string>): string {
  const name = parseTaskId(taskId ?? '');
  if (name === null) return taskId ?? '';
  const title = titles.get(name.number);
  return `#${name.number}${title === undefined ? '' : ` “${title}”`} (${name.kind})`;
}

/** Null: not worth a line. */
export function narrate(event: StoryEvent, titles: ReadonlyMap<number, string>): string | null {
  const what = subject(event.task_id, titles);
  const who = typeof event['agent_id'] === 'string' ? event['agent_id'] : '';
  const reason = typeof event['reason'] === 'string' ? explainReason(event['reason']) : '';
  switch (event.type) {
    case 'held':
      return `${what} is held: ${reason}`;
    case 'accepted':
      return event['state'] === 'held' ? `${what} is held: ${reason}` : null;
    case 'delayed':
      return reason === '' ? null : `${what} waits: ${reason}`;
    case 'ready':
      return `${what} is ready`;
    case 'leased': {
      const attempt = Number(event['attempt'] ?? 1);
      return `${who} takes ${what}${attempt > 1 ? `, attempt ${attempt}` : ''}`;
    }
    case 'renewed':
      return typeof event['progress'] === 'string' ? `${who}: ${event['progress']}` : null;
    case 'completed': {
      const verdict = event['verdict'];
      if (verdict === 'approve') return `${who} approves ${what}`;
      if (verdict === 'request_changes') return `${who} asks for changes to ${what}`;
      return `${who} completes ${what}`;
    }
    case 'failed':
      return `${who} fails ${what}: ${String(event['reason'])}`;
    case 'expired':
      return `the lease of ${who} on ${what} ran out; it is offered again`;
    case 'dead':
      return `${what} is set aside for a person: ${reason}`;
    case 'cancelled':
      return `${what} is cancelled: ${reason}`;
    default:
      return null;
  }
}
