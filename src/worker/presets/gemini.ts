// Gemini CLI. It counts each run by itself, leaves its reasoning out of the output, and gives no cost. Its
// exit code 41 means that it is not logged in, 55 that the folder is not trusted.

import { faultIn, quotaIn } from '../outcome/quota.ts';
import { at, count, type Fields, fields, note, parseEvent, said, text } from './json-lines.ts';
import { type Call, type CallInput, newReading, type Preset, type StreamReader } from './preset.ts';

const OWN_APPROVAL = ['--approval-mode', '--yolo', '-y'];

function call({ prompt, session, extra }: CallInput): Call {
  const own = extra.some((one) => OWN_APPROVAL.includes(one.split('=')[0] ?? ''));
  return {
    args: [
      '-o',
      'stream-json',
      ...(own ? [] : ['--approval-mode', 'yolo']),
      ...(session === null ? [] : ['-r', session]),
      ...extra,
    ],
    stdin: prompt,
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  };
}

const NOT_LOGGED_IN = 41;
const NOT_TRUSTED = 55;

function reader(now: () => number): StreamReader {
  const reading = newReading();
  let turns = 0;
  let speaking = false;

  function message(event: Fields): string[] {
    const words = text(event['content']) ?? '';
    if (event['role'] !== 'assistant') return [];
    // Comes in pieces: what follows a tool call begins a new message.
    reading.lastText = speaking ? reading.lastText + words : words;
    if (!speaking) turns += 1;
    speaking = true;
    return said(words);
  }

  function result(event: Fields): string[] {
    const stats = event['stats'];
    const models = Object.entries(fields(at(stats, 'models')) ?? {});
    const [main] = models.toSorted(
      ([, a], [, b]) => count(at(b, 'total_tokens')) - count(at(a, 'total_tokens')),
    );
    const input = count(at(stats, 'input_tokens'));
    reading.usage = {
      model: main?.[0] ?? null,
      inputTokens: input,
      outputTokens: Math.max(
        count(at(stats, 'output_tokens')),
        count(at(stats, 'total_tokens')) - input,
      ),
      cachedTokens: count(at(stats, 'cached')),
      costUsd: null,
      turns: turns + count(at(stats, 'tool_calls')),
    };
    if (event['status'] === 'success') {
      reading.result = { ok: true, error: null };
      return [];
    }
    const error = text(at(event, 'error', 'message')) ?? 'it failed';
    reading.result = { ok: false, error };
    reading.quota ??= quotaIn(error, now());
    reading.fault = reading.quota === null ? faultIn(error) : null;
    return note('failed', error);
  }

  return {
    reading,
    stdout(line) {
      const event = parseEvent(line);
      if (event === null) return said(line);
      reading.waiting = null;
      reading.sessionId = text(event['session_id']) ?? reading.sessionId;
      if (event['type'] === 'message') return message(event);
      if (event['type'] === 'result') return result(event);
      speaking = false;
      if (event['type'] !== 'tool_use') return [];
      const parameters = event['parameters'];
      return note(
        text(event['tool_name']) ?? 'tool',
        at(parameters, 'command') ?? at(parameters, 'file_path'),
      );
    },
    stderr(line) {
      if (/Attempt \d+ failed/.test(line)) reading.waiting ??= { since: now(), why: line };
      return said(line);
    },
    finish(exitCode) {
      if (exitCode === NOT_LOGGED_IN) reading.fault = 'gemini is not logged in';
      if (exitCode === NOT_TRUSTED) reading.fault = 'gemini does not trust this folder';
    },
  };
}

export const gemini: Preset = {
  name: 'gemini',
  program: 'gemini',
  call,
  reader,
  counts: 'run',
  resumes: true,
  hasResult: true,
};
