// Codex. Its sandbox lets it write the worktree only; git's own folders are added so that it can commit. It
// counts tokens since the session began, gives no cost, and says at its end only.

import { faultIn, quotaIn } from '../outcome/quota.ts';
import { at, count, type Fields, fields, note, parseEvent, said, text } from './json-lines.ts';
import { type Call, type CallInput, newReading, type Preset, type StreamReader } from './preset.ts';

const OWN_SANDBOX = ['-s', '--sandbox', '--dangerously-bypass-approvals-and-sandbox', '--yolo'];

function sandbox({ extra, gitFolders, session }: CallInput): string[] {
  if (extra.some((one) => OWN_SANDBOX.includes(one.split('=')[0] ?? ''))) return [];
  // `exec resume` knows neither option; the same is said as configuration.
  const roots = JSON.stringify(gitFolders);
  return session === null
    ? ['-s', 'workspace-write', ...gitFolders.flatMap((folder) => ['--add-dir', folder])]
    : [
        '-c',
        'sandbox_mode="workspace-write"',
        '-c',
        `sandbox_workspace_write.writable_roots=${roots}`,
      ];
}

function call(input: CallInput): Call {
  const own = [
    '--json',
    '--skip-git-repo-check',
    ...sandbox(input),
    ...(input.schema === null ? [] : ['--output-schema', input.schema.file]),
    ...input.extra,
  ];
  return {
    args:
      input.session === null
        ? ['exec', ...own, '-']
        : ['exec', 'resume', ...own, input.session, '-'],
    stdin: input.prompt,
    env: {},
  };
}

/** Codex hands on the raw body of an API error. */
function plainMessage(raw: string): string {
  return text(at(parseEvent(raw), 'error', 'message')) ?? raw;
}

function reader(now: () => number): StreamReader {
  const reading = newReading();
  let turns = 0;

  function item(event: Fields): string[] {
    const one = fields(event['item']);
    const done = event['type'] === 'item.completed';
    if (one?.['type'] === 'agent_message' && done) {
      reading.lastText = text(one['text']) ?? '';
      return said(reading.lastText);
    }
    if (one?.['type'] === 'command_execution' && !done) return note('runs', one['command']);
    if (one?.['type'] === 'file_change' && done) return ['changes files'];
    if (one?.['type'] === 'error') return note('warns', one['message']);
    return [];
  }

  function failed(raw: string): string[] {
    const message = plainMessage(raw);
    reading.result = { ok: false, error: message };
    reading.quota ??= quotaIn(raw, now());
    reading.fault = reading.quota === null ? faultIn(raw) : null;
    return note('failed', message);
  }

  function completed(event: Fields): string[] {
    const usage = event['usage'];
    turns += 1;
    reading.result = { ok: true, error: null };
    reading.usage = {
      model: null,
      inputTokens: count(at(usage, 'input_tokens')),
      outputTokens: count(at(usage, 'output_tokens')),
      cachedTokens: count(at(usage, 'cached_input_tokens')),
      costUsd: null,
      turns,
    };
    return [];
  }

  return {
    reading,
    stdout(line) {
      const event = parseEvent(line);
      if (event === null) return said(line);
      const type = text(event['type']) ?? '';
      if (type === 'thread.started') reading.sessionId = text(event['thread_id']);
      if (type === 'error') {
        const message = text(event['message']) ?? '';
        // "Reconnecting… 1/5": it tries again by itself.
        reading.waiting ??= { since: now(), why: message };
        return note('waits', message);
      }
      if (type.startsWith('item.') && at(event, 'item', 'type') !== 'error') reading.waiting = null;
      if (type === 'turn.completed') return completed(event);
      if (type === 'turn.failed') return failed(text(at(event, 'error', 'message')) ?? 'it failed');
      return item(event);
    },
    stderr: said,
    finish: () => undefined,
  };
}

export const codex: Preset = {
  name: 'codex',
  program: 'codex',
  call,
  reader,
  counts: 'session',
  resumes: true,
  hasResult: true,
};
