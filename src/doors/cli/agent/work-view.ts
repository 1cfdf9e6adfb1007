// What a person sees of `banto work`: on a terminal one live line for each task below what has happened,
// otherwise plain lines with the time.

import type { WorkEvent } from '../../../worker/events.ts';
import { columnsOf, painter, type Shell } from '../shell.ts';
import { clean, cut } from '../terminal/text.ts';
import { clockTime, duration } from '../terminal/time-text.ts';

export interface WorkView {
  readonly tell: (event: WorkEvent) => void;
  close(): void;
}

interface Live {
  readonly taskId: string;
  readonly since: number;
  note: string;
  printedAt: number;
}

/** In a log file, a tool that talks a lot must not drown everything else. */
const NOTE_EVERY_MS = 15_000;
const TICK_MS = 1000;
const UP = '\u001b[1A';
const CLEAR_LINE = '\u001b[2K';
const COLORS = {
  completed: 'green',
  failed: 'red',
  released: 'yellow',
  abandoned: 'yellow',
} as const;

export function createWorkView(shell: Shell): WorkView {
  const live = new Map<string, Live>();
  const away = new Map<string, string>();
  const terminal = shell.stdout.isTTY === true;
  const paint = painter(shell);
  let drawn = 0;
  let said = false;

  function erase(): void {
    shell.stdout.write(`${UP}${CLEAR_LINE}`.repeat(drawn));
    drawn = 0;
  }

  function draw(): void {
    if (!terminal) return;
    for (const [agentId, { taskId, since, note }] of live) {
      const time = duration((shell.now() - since) / 1000);
      const line = `${agentId}  ${taskId}  ${time}  ${clean(note)}`;
      shell.stdout.write(`${paint('cyan', cut(line, columnsOf(shell) - 1))}\n`);
      drawn += 1;
    }
  }

  function line(text: string): void {
    erase();
    const time = clockTime(new Date(shell.now()).toISOString(), shell.now());
    shell.stdout.write(`${time} ${text}\n`);
    draw();
  }

  function note(agentId: string, text: string): void {
    const one = live.get(agentId);
    if (one === undefined) return;
    one.note = text;
    if (terminal || shell.now() - one.printedAt < NOTE_EVERY_MS) return;
    one.printedAt = shell.now();
    line(`${agentId} ${one.taskId}: ${clean(text)}`);
  }

  function stopping(graceSeconds: number): void {
    line(
      live.size === 0
        ? 'Stopping.'
        : `Stopping; what runs gets ${duration(graceSeconds)}, Ctrl-C again stops it now.`,
    );
  }

  function tell(event: WorkEvent): void {
    if (event.type === 'stopping') return stopping(event.graceSeconds);
    const { agentId } = event;
    switch (event.type) {
      case 'waiting':
        if (!said) line('Waiting for tasks; Ctrl-C ends it.');
        said = true;
        break;
      case 'away':
        // Once for each trouble, not once a second.
        if (away.get(agentId) !== event.text)
          line(`${agentId} ${paint('yellow', clean(event.text))}`);
        away.set(agentId, event.text);
        break;
      case 'took':
        away.delete(agentId);
        live.set(agentId, {
          taskId: event.taskId,
          since: shell.now(),
          note: '',
          printedAt: shell.now(),
        });
        line(`${agentId} took ${event.taskId} (attempt ${event.attempt}): ${clean(event.title)}`);
        break;
      case 'note':
        note(agentId, event.text);
        break;
      case 'ended':
        live.delete(agentId);
        line(
          `${agentId} ${paint(COLORS[event.how], event.how)} ${event.taskId}: ${cut(clean(event.text), Math.min(columnsOf(shell), 300))}`,
        );
        break;
    }
  }

  const timer = terminal
    ? setInterval(() => {
        erase();
        draw();
      }, TICK_MS)
    : null;
  return {
    tell,
    close() {
      if (timer !== null) clearInterval(timer);
      erase();
    },
  };
}
