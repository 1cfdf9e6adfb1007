// opencode. Each step says what it used; the last step of a run ends with the reason `stop`. Of a refused request
// that it repeats by itself only its log tells.

import { faultIn, quotaIn } from '../outcome/quota.ts';
import { NO_USAGE, plus } from '../usage.ts';
import { at, count, type Fields, note, parseEvent, said, text } from './json-lines.ts';
import { type Call, type CallInput, newReading, type Preset, type StreamReader } from './preset.ts';

function call({ prompt, session, worktree, extra }: CallInput): Call {
  return {
    args: [
      'run',
      '--format',
      'json',
      '--auto',
      '--dir',
      worktree,
      ...(session === null ? [] : ['-s', session]),
      ...extra,
    ],
    stdin: prompt,
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_PRINT_LOGS: '1',
      OPENCODE_LOG_LEVEL: 'ERROR',
    },
  };
}

/** A line of the log about a refused request. */
const REFUSED = 'message="stream error"';

function whyRefused(line: string): string {
  return /\berror\.error="([^"\n]{1,300})/.exec(line)?.[1] ?? 'its model refuses';
}

function reader(now: () => number): StreamReader {
  const reading = newReading();
  let stopped = false;

  function step(part: unknown): string[] {
    const cost = at(part, 'cost');
    const cached = count(at(part, 'tokens', 'cache', 'read'));
    const written = count(at(part, 'tokens', 'cache', 'write'));
    reading.usage = plus(reading.usage ?? NO_USAGE, {
      model: null,
      inputTokens: count(at(part, 'tokens', 'input')) + cached + written,
      outputTokens: count(at(part, 'tokens', 'output')) + count(at(part, 'tokens', 'reasoning')),
      cachedTokens: cached,
      // It says 0 for a model whose price it does not know.
      costUsd: count(cost) === 0 ? null : count(cost),
      turns: 1,
    });
    reading.live = reading.usage;
    stopped = at(part, 'reason') === 'stop';
    if (stopped) reading.result = { ok: true, error: null };
    return [];
  }

  function failed(event: Fields): string[] {
    const error = event['error'];
    const status = count(at(error, 'data', 'statusCode'));
    const words = text(at(error, 'data', 'message')) ?? text(at(error, 'name')) ?? 'it failed';
    const message = status === 0 ? words : `${words} (status ${status})`;
    reading.result = { ok: false, error: words };
    reading.quota ??= quotaIn(message, now());
    reading.fault = reading.quota === null ? faultIn(message) : null;
    return note('failed', words);
  }

  return {
    reading,
    stdout(line) {
      const event = parseEvent(line);
      if (event === null) return said(line);
      const part = event['part'];
      reading.sessionId = text(event['sessionID']) ?? reading.sessionId;
      reading.waiting = null;
      switch (event['type']) {
        case 'text':
          reading.lastText = text(at(part, 'text')) ?? '';
          return said(reading.lastText);
        case 'tool_use':
          return note(
            text(at(part, 'tool')) ?? 'tool',
            at(part, 'state', 'input', 'command') ?? at(part, 'state', 'title'),
          );
        case 'step_start':
          reading.result = null;
          return [];
        case 'step_finish':
          return step(part);
        case 'error':
          return failed(event);
        default:
          return [];
      }
    },
    stderr(line) {
      if (!line.includes(REFUSED)) return said(line);
      // The small model only finds titles: nobody waits for it.
      if (!line.includes(' small=false')) return [];
      reading.waiting ??= { since: now(), why: whyRefused(line) };
      return note('waits', reading.waiting.why);
    },
    finish: () => undefined,
  };
}

export const opencode: Preset = {
  name: 'opencode',
  program: 'opencode',
  call,
  reader,
  counts: 'run',
  resumes: true,
  hasResult: true,
};
