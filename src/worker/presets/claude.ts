// Claude Code. Its result line counts since the session began; an API error says `subtype: success` with
// `is_error: true`; what it was not allowed to do stands in `permission_denials` only.

import { faultIn, quotaIn } from '../outcome/quota.ts';
import { NO_USAGE, plus, type Usage } from '../usage.ts';
import {
  at,
  count,
  type Fields,
  fields,
  list,
  note,
  parseEvent,
  said,
  text,
} from './json-lines.ts';
import { type Call, type CallInput, newReading, type Preset, type StreamReader } from './preset.ts';

const OWN_PERMISSIONS = ['--permission-mode', '--dangerously-skip-permissions', '--allowedTools'];

function permissions({ extra, check }: CallInput): string[] {
  if (extra.some((one) => OWN_PERMISSIONS.includes(one.split('=')[0] ?? ''))) return [];
  const allowed = [
    'Bash(git add:*)',
    'Bash(git commit:*)',
    'Bash(git status:*)',
    'Bash(git diff:*)',
  ];
  if (check !== null) allowed.push(`Bash(${check})`);
  return ['--permission-mode', 'acceptEdits', '--allowedTools', ...allowed];
}

function call(input: CallInput): Call {
  return {
    args: [
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      ...(input.session === null ? [] : ['--resume', input.session]),
      ...(input.schema === null ? [] : ['--json-schema', input.schema.text]),
      ...permissions(input),
      ...input.extra,
    ],
    stdin: input.prompt,
    env: { DISABLE_AUTOUPDATER: '1' },
  };
}

function inputOf(usage: unknown, names: readonly [string, string, string]): number {
  return names.reduce((sum, name) => sum + count(at(usage, name)), 0);
}

/** All models of the session; the one that wrote most names the whole. */
function sessionUsage(event: Fields): Usage | null {
  const models = Object.entries(fields(event['modelUsage']) ?? {});
  if (models.length === 0) return null;
  const names = ['inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'] as const;
  const sum = (pick: (one: unknown) => number) =>
    models.reduce((total, [, one]) => total + pick(one), 0);
  const [main] = models.toSorted(
    ([, a], [, b]) => count(at(b, 'outputTokens')) - count(at(a, 'outputTokens')),
  );
  return {
    model: main?.[0] ?? null,
    inputTokens: sum((one) => inputOf(one, names)),
    outputTokens: sum((one) => count(at(one, 'outputTokens'))),
    cachedTokens: sum((one) => count(at(one, 'cacheReadInputTokens'))),
    costUsd: typeof event['total_cost_usd'] === 'number' ? event['total_cost_usd'] : null,
    turns: 0,
  };
}

function reader(now: () => number): StreamReader {
  const reading = newReading();
  // Until the result comes: each answer once, however often it is repeated.
  const answers = new Map<string, Usage>();

  function live(message: unknown): void {
    const id = text(at(message, 'id'));
    const usage = at(message, 'usage');
    const model = text(at(message, 'model'));
    if (id === null || model === null || model.startsWith('<')) return;
    const names = [
      'input_tokens',
      'cache_read_input_tokens',
      'cache_creation_input_tokens',
    ] as const;
    answers.set(id, {
      model,
      inputTokens: inputOf(usage, names),
      outputTokens: count(at(usage, 'output_tokens')),
      cachedTokens: count(at(usage, 'cache_read_input_tokens')),
      costUsd: null,
      turns: 1,
    });
    reading.live = [...answers.values()].reduce(plus, NO_USAGE);
  }

  function content(message: unknown): string[] {
    return list(at(message, 'content')).flatMap((part) => {
      if (at(part, 'type') === 'text') {
        const words = text(at(part, 'text')) ?? '';
        reading.lastText = words;
        return said(words);
      }
      if (at(part, 'type') !== 'tool_use') return [];
      const input = at(part, 'input');
      const what = at(input, 'command') ?? at(input, 'file_path') ?? at(input, 'pattern') ?? '';
      const name = text(at(part, 'name')) ?? 'tool';
      return note(name, what).length > 0 ? note(name, what) : [name];
    });
  }

  function result(event: Fields): string[] {
    const words = text(event['result']) ?? text(event['subtype']) ?? '';
    const failed = event['is_error'] === true || event['subtype'] !== 'success';
    const status = typeof event['api_error_status'] === 'number' ? event['api_error_status'] : null;
    const message = status === null ? words : `${words} (status ${status})`;
    reading.result = { ok: !failed, error: failed ? message : null };
    if (!failed && text(event['result']) !== null) reading.lastText = words;
    reading.structured = event['structured_output'];
    reading.denials.push(
      ...list(event['permission_denials']).map((denial) => {
        const command = text(at(denial, 'tool_input', 'command'));
        return `${text(at(denial, 'tool_name')) ?? 'tool'}${command === null ? '' : `: ${command}`}`;
      }),
    );
    if (failed) {
      reading.quota ??= quotaIn(message, now());
      reading.fault = reading.quota === null ? faultIn(message) : null;
    }
    const total = sessionUsage(event);
    if (total !== null) reading.usage = { ...total, turns: count(event['num_turns']) };
    return failed ? note('failed', message) : [];
  }

  function limited(info: unknown): string[] {
    if (at(info, 'status') !== 'rejected') return [];
    const resets = count(at(info, 'resetsAt'));
    const message = 'the usage limit of the account is reached';
    reading.quota = { returnsAt: resets === 0 ? null : resets * 1000, message };
    return note('limit', message);
  }

  function system(event: Fields): string[] {
    if (event['subtype'] !== 'api_retry') return [];
    const why = text(event['error']) ?? 'error';
    reading.waiting ??= { since: now(), why };
    return note('waits', `${why}, attempt ${count(event['attempt'])}`);
  }

  return {
    reading,
    stdout(line) {
      const event = parseEvent(line);
      if (event === null) return said(line);
      reading.sessionId = text(event['session_id']) ?? reading.sessionId;
      if (event['type'] === 'system') return system(event);
      if (event['type'] === 'rate_limit_event') return limited(event['rate_limit_info'] ?? event);
      reading.waiting = null;
      if (event['type'] === 'result') return result(event);
      if (event['type'] !== 'assistant') return [];
      live(event['message']);
      return content(event['message']);
    },
    stderr: said,
    finish: () => undefined,
  };
}

export const claude: Preset = {
  name: 'claude',
  program: 'claude',
  call,
  reader,
  counts: 'session',
  resumes: true,
  hasResult: true,
};
