// The streams are recorded from the real programs, run against a scripted model that answers four times with
// 1000 fresh, 200 cached and 30 written tokens of input and 50 of output each.

import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createMeter } from '../meter.ts';
import { readVerdict } from '../outcome/verdict.ts';
import { NO_USAGE } from '../usage.ts';
import { aider } from './aider.ts';
import { anyCommand } from './any-command.ts';
import type { PresetName } from './names.ts';
import type { CallInput, Preset, Reading } from './preset.ts';
import { PRESETS } from './presets.ts';

const FIXTURES = join(import.meta.dirname, '../../../test/fixtures/agents');
const NOW = Date.parse('2026-11-16T06:00:00.000Z');
const scratch = mkdtempSync(join(tmpdir(), 'banto-presets-'));
cpSync(join(FIXTURES, 'copilot-commit.usage.json'), join(scratch, 'copilot-usage.json'));
afterAll(() => rmSync(scratch, { recursive: true }));

function read(
  tool: PresetName,
  script: string,
  exitCode = 0,
): { reading: Reading; notes: string[] } {
  const reader = PRESETS[tool].reader(() => NOW);
  const lines = readFileSync(join(FIXTURES, `${tool}-${script}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  const notes = lines.flatMap((line) => reader.stdout(line));
  reader.finish(exitCode, scratch);
  return { reading: reader.reading, notes };
}

const TOOLS = ['claude', 'codex', 'gemini', 'opencode', 'copilot'] as const;

describe.each(TOOLS)('%s', (tool) => {
  it('says that it is done, in which session, and what it did', () => {
    const { reading, notes } = read(tool, 'commit');
    expect(reading).toMatchObject({
      result: { ok: true, error: null },
      lastText: 'done',
      sessionId: expect.stringMatching(/^[\w-]{20,}$/),
      quota: null,
      fault: null,
    });
    expect(notes.join('\n')).toMatch(/git commit -m 'add hello\.txt'/);
    expect(notes.at(-1)).toBe('done');
  });

  it('used what the model counted', () => {
    const { reading } = read(tool, 'commit');
    const meter = createMeter(PRESETS[tool], [], {});
    meter.begin(reading, null);
    meter.end();
    expect(meter.body()).toMatchObject({
      input_tokens: 4920,
      cached_tokens: 800,
      output_tokens: 200,
      turns: expect.any(Number),
    });
  });

  it('reports an error of its model as an error', () => {
    const { reading } = read(tool, 'fail', 1);
    expect(reading.result).toEqual({
      ok: false,
      error: expect.stringContaining('scripted refusal'),
    });
    expect([reading.quota, reading.fault]).toEqual([null, null]);
  });

  it('hands over a verdict', () => {
    const { reading } = read(tool, 'review');
    expect(readVerdict(reading.structured, reading.lastText)).toMatchObject({ verdict: 'approve' });
  });
});

const COSTS: readonly [PresetName, number | undefined][] = [
  ['claude', 0.01569],
  ['opencode', 0.01536],
  ['codex', undefined],
  ['gemini', undefined],
  ['copilot', undefined],
];

it.each(COSTS)('%s costs %s', (tool, cost) => {
  const meter = createMeter(PRESETS[tool], [], {});
  meter.begin(read(tool, 'commit').reading, null);
  expect(meter.body()?.cost_usd).toBe(cost);
});

it.each(['claude', 'codex'] as const)('a resumed session of %s counts once', (tool) => {
  const first = read(tool, 'turn1').reading;
  const second = read(tool, 'turn2').reading;
  expect(second.usage?.inputTokens).toBe(4920);
  const meter = createMeter(PRESETS[tool], [], {});
  meter.begin(second, first.usage);
  expect(meter.body()).toMatchObject({
    input_tokens: 2460,
    output_tokens: 100,
    cached_tokens: 400,
  });
});

it.each(['gemini', 'opencode'] as const)('%s counts each run by itself', (tool) => {
  const meter = createMeter(PRESETS[tool], [], {});
  meter.begin(read(tool, 'turn2').reading, { ...NO_USAGE, inputTokens: 2000, outputTokens: 50 });
  expect(meter.body()).toMatchObject({ input_tokens: 2460, output_tokens: 100 });
});

it('the price table says what a tool does not', () => {
  const prices = { 'gpt-5': { input: 1, cached: 0.1, output: 10 } };
  const meter = createMeter(PRESETS.codex, ['-m', 'gpt-5'], prices);
  meter.begin(read('codex', 'commit').reading, null);
  expect(meter.body()).toMatchObject({ model: 'gpt-5', cost_usd: 0.0062 });
  const unnamed = createMeter(PRESETS.codex, [], { codex: { input: 1, output: 1 } });
  unnamed.begin(read('codex', 'commit').reading, null);
  expect(unnamed.body()?.cost_usd).toBe(0.00512);
});

it.each(['claude', 'codex'] as const)(
  '%s shows that it waits for a limit, and no longer',
  (tool) => {
    const reader = PRESETS[tool].reader(() => NOW);
    const lines = readFileSync(join(FIXTURES, `${tool}-limit.jsonl`), 'utf8')
      .trim()
      .split('\n');
    const waited = lines.map((line) => {
      reader.stdout(line);
      return reader.reading.waiting !== null;
    });
    expect(waited).toContain(true);
    expect(waited.at(-1)).toBe(false);
  },
);

it('opencode shows in its log only that it waits for a limit', () => {
  const { env } = PRESETS.opencode.call(input);
  expect(env).toMatchObject({ OPENCODE_PRINT_LOGS: '1', OPENCODE_LOG_LEVEL: 'ERROR' });
  const reader = PRESETS.opencode.reader(() => NOW);
  const refused = (small: boolean) =>
    `timestamp=2026-11-17T19:29:08.360Z level=ERROR run=c0df9280 message="stream error" providerID=fake modelID=fake session.id=ses_e15043827ffeg5aCkIF4e3ivvg small=${small} agent=build mode=primary error.error="AI_APICallError: rate limit reached"`;
  expect(reader.stderr(refused(true))).toEqual([]);
  expect(reader.reading.waiting).toBeNull();
  expect(reader.stderr(refused(false))).toEqual(['waits: AI_APICallError: rate limit reached']);
  expect(reader.reading.waiting).toEqual({
    since: NOW,
    why: 'AI_APICallError: rate limit reached',
  });
  reader.stdout('{"type":"step_start","part":{"type":"step-start"}}');
  expect(reader.reading.waiting).toBeNull();
});

it('claude counts tokens while it works', () => {
  const reader = PRESETS.claude.reader(() => NOW);
  const lines = readFileSync(join(FIXTURES, 'claude-commit.jsonl'), 'utf8').trim().split('\n');
  for (const line of lines.slice(0, 4)) reader.stdout(line);
  expect(reader.reading.live).toMatchObject({ inputTokens: 2460, cachedTokens: 400, turns: 2 });
});

it('claude says until when its quota is used up, and what it was not allowed to do', () => {
  const reader = PRESETS.claude.reader(() => NOW);
  const info = { status: 'rejected', resetsAt: NOW / 1000 + 3600 };
  reader.stdout(JSON.stringify({ type: 'rate_limit_event', rate_limit_info: info }));
  const denied = [{ tool_name: 'Bash', tool_input: { command: 'npm test' } }];
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'ok' };
  reader.stdout(JSON.stringify({ ...result, permission_denials: denied }));
  expect(reader.reading.quota?.returnsAt).toBe(NOW + 3_600_000);
  expect(reader.reading.denials).toEqual(['Bash: npm test']);
});

it.each([
  [41, /not logged in/],
  [55, /does not trust/],
])('gemini cannot work at all with exit code %s', (code, fault) => {
  const reader = PRESETS.gemini.reader(() => NOW);
  reader.finish(code, scratch);
  expect(reader.reading.fault).toMatch(fault);
});

it('aider is read from what it prints for people', () => {
  const reader = aider.reader(() => NOW);
  reader.stdout('Tokens: 12k sent, 1.5k received. Cost: $0.02 message, $0.05 session.');
  reader.stdout('Tokens: 500 sent, 20 received.');
  expect(reader.reading.usage).toMatchObject({
    inputTokens: 12_500,
    outputTokens: 1520,
    costUsd: 0.02,
  });
});

it.each([
  ['litellm.RateLimitError: 429 rate limit reached, retry after 32s', 'quota'],
  ['litellm.AuthenticationError: invalid api key', 'fault'],
] as const)('aider ends with exit code 0 after %s', (line, what) => {
  const reader = aider.reader(() => NOW);
  reader.stdout(line);
  reader.finish(0, scratch);
  expect(reader.reading[what]).not.toBeNull();
  const worked = aider.reader(() => NOW);
  worked.stdout(`The test expects "${line}"`);
  worked.stdout('Tokens: 500 sent, 20 received.');
  worked.finish(0, scratch);
  expect(worked.reading[what]).toBeNull();
});

const input: CallInput = {
  prompt: 'Do $& it {prompt_file}',
  promptFile: '/s/prompt.md',
  worktree: '/w',
  gitFolders: ['/r/.git', '/r/.git/worktrees/w'],
  session: null,
  schema: null,
  check: 'npm test',
  extra: [],
  scratch: '/s',
};
const schema = { file: '/s/schema.json', text: '{}' };
const argsOf = (preset: Preset, change: Partial<CallInput> = {}) =>
  preset.call({ ...input, ...change }).args.join(' ');

describe('how a tool is called', () => {
  it.each(TOOLS)('%s gets the prompt on standard input', (tool) => {
    expect(PRESETS[tool].call(input).stdin).toBe(input.prompt);
  });

  it.each(TOOLS)('%s goes on with its session', (tool) => {
    expect(argsOf(PRESETS[tool], { session: 'abc-1' })).toMatch(/(?:resume|-r|-s)[ =].*abc-1/);
  });

  it.each(TOOLS)('%s gets the arguments of the person', (tool) => {
    expect(argsOf(PRESETS[tool], { extra: ['--model', 'big'] })).toContain('--model big');
  });

  it('claude may commit and run the check, unless the person says what it may', () => {
    expect(argsOf(PRESETS.claude)).toMatch(/acceptEdits.*Bash\(git commit:\*\).*Bash\(npm test\)/);
    const own = argsOf(PRESETS.claude, { extra: ['--permission-mode', 'bypassPermissions'] });
    expect(own).not.toContain('acceptEdits');
  });

  it('codex may write the folders of git, in a resumed session too, unless the person says where', () => {
    expect(argsOf(PRESETS.codex)).toContain(
      '-s workspace-write --add-dir /r/.git --add-dir /r/.git/worktrees/w',
    );
    expect(argsOf(PRESETS.codex, { session: 'x' })).toContain(
      'writable_roots=["/r/.git","/r/.git/worktrees/w"]',
    );
    const own = argsOf(PRESETS.codex, { extra: ['--dangerously-bypass-approvals-and-sandbox'] });
    expect(own).not.toContain('workspace-write');
  });

  it('claude and codex are held to the schema of a verdict', () => {
    expect(argsOf(PRESETS.claude, { schema })).toContain('--json-schema {}');
    expect(argsOf(PRESETS.codex, { schema })).toContain('--output-schema /s/schema.json');
  });

  it('any command gets the prompt where it says so, as it is', () => {
    const named = anyCommand.call({ ...input, extra: ['-m', '{prompt}', 'f={prompt_file}'] });
    expect(named).toMatchObject({ args: ['-m', input.prompt, 'f=/s/prompt.md'], stdin: null });
    expect(anyCommand.call({ ...input, extra: ['-x'] })).toMatchObject({ stdin: input.prompt });
  });
});
