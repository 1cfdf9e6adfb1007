// GitHub Copilot CLI. Its tokens are in a file it writes at its end, counted since the session began.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultIn, quotaIn } from '../outcome/quota.ts';
import { at, count, type Fields, fields, note, parseEvent, said, text } from './json-lines.ts';
import { type Call, type CallInput, newReading, type Preset, type StreamReader } from './preset.ts';

const USAGE_FILE = 'copilot-usage.json';

function call({ prompt, session, extra, scratch }: CallInput): Call {
  return {
    args: [
      '--allow-all-tools',
      '--no-ask-user',
      '--output-format',
      'json',
      '--usage-output-file',
      join(scratch, USAGE_FILE),
      '--no-auto-update',
      ...(session === null ? [] : [`--resume=${session}`]),
      ...extra,
    ],
    stdin: prompt,
    env: {},
  };
}

function readUsage(scratch: string): Fields | null {
  try {
    return parseEvent(readFileSync(join(scratch, USAGE_FILE), 'utf8'));
  } catch {
    return null;
  }
}

function reader(now: () => number): StreamReader {
  const reading = newReading();
  let turns = 0;
  let lastError: string | null = null;

  function refused(data: unknown): string[] {
    const status = count(at(data, 'statusCode'));
    lastError = text(at(data, 'message')) ?? 'it failed';
    const message = status === 0 ? lastError : `${lastError} (status ${status})`;
    reading.quota ??= quotaIn(message, now());
    reading.fault = reading.quota === null ? faultIn(message) : null;
    return note('failed', lastError);
  }

  function result(event: Fields): string[] {
    const ok = event['exitCode'] === 0;
    reading.sessionId = text(event['sessionId']) ?? reading.sessionId;
    reading.result = { ok, error: ok ? null : (lastError ?? 'it ended with an error') };
    return [];
  }

  return {
    reading,
    stdout(line) {
      const event = parseEvent(line);
      if (event === null) return said(line);
      const data = event['data'];
      switch (event['type']) {
        case 'assistant.message': {
          reading.waiting = null;
          turns += 1;
          const words = text(at(data, 'content'));
          if (words === null) return [];
          reading.lastText = words;
          return said(words);
        }
        case 'tool.execution_start':
          return note(text(at(data, 'toolName')) ?? 'tool', at(data, 'arguments', 'command'));
        case 'model.call_failure':
          reading.waiting ??= { since: now(), why: `status ${count(at(data, 'statusCode'))}` };
          return note('waits', reading.waiting.why);
        case 'session.error':
          return refused(data);
        case 'result':
          return result(event);
        default:
          return [];
      }
    },
    stderr: said,
    finish(_exitCode, scratch) {
      const models = Object.entries(fields(at(readUsage(scratch), 'modelMetrics')) ?? {});
      if (models.length === 0) return;
      const sum = (name: string) =>
        models.reduce((total, [, model]) => total + count(at(model, 'usage', name)), 0);
      reading.usage = {
        model: models[0]?.[0] ?? null,
        inputTokens: sum('inputTokens'),
        outputTokens: sum('outputTokens'),
        cachedTokens: sum('cacheReadTokens'),
        costUsd: null,
        turns,
      };
    },
  };
}

export const copilot: Preset = {
  name: 'copilot',
  program: 'copilot',
  call,
  reader,
  counts: 'session',
  resumes: true,
  hasResult: true,
};
