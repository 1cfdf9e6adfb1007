// aider. It has no stream of events and no result line: its commits are judged, and its exit code where it is not 0.
// After its documentation; tokens and cost are read from the lines it prints for people.

import { join } from 'node:path';
import { faultIn, quotaIn } from '../outcome/quota.ts';
import { NO_USAGE, plus } from '../usage.ts';
import { said } from './json-lines.ts';
import { type Call, type CallInput, newReading, type Preset, type StreamReader } from './preset.ts';

function call({ promptFile, scratch, extra }: CallInput): Call {
  return {
    args: [
      '--yes-always',
      '--no-pretty',
      '--no-stream',
      '--no-check-update',
      '--no-show-release-notes',
      // It commits by itself, and with `--yes-always` it would put itself into the repository's .gitignore.
      '--auto-commits',
      '--no-gitignore',
      '--chat-history-file',
      join(scratch, 'aider.chat.md'),
      '--input-history-file',
      join(scratch, 'aider.input'),
      '--message-file',
      promptFile,
      ...extra,
    ],
    stdin: null,
    env: {},
  };
}

const SPENT =
  /^Tokens: ([\d.]+)(k|M)? sent(?:.*?([\d.]+)(k|M)? cache hit)?.*?([\d.]+)(k|M)? received\.(?: Cost: \$([\d.]+) message)?/;

function amount(number: string | undefined, unit: string | undefined): number {
  const factor = unit === 'M' ? 1_000_000 : unit === 'k' ? 1000 : 1;
  return Math.round(Number(number ?? 0) * factor);
}

function reader(now: () => number): StreamReader {
  const reading = newReading();
  const lines: string[] = [];

  function spent(line: string): void {
    const match = SPENT.exec(line);
    if (match === null) return;
    const [, sent, sentUnit, hit, hitUnit, received, receivedUnit, cost] = match;
    reading.usage = plus(reading.usage ?? NO_USAGE, {
      model: null,
      inputTokens: amount(sent, sentUnit),
      outputTokens: amount(received, receivedUnit),
      cachedTokens: amount(hit, hitUnit),
      costUsd: cost === undefined ? null : Number(cost),
      turns: 1,
    });
    reading.live = reading.usage;
  }

  return {
    reading,
    stdout(line) {
      spent(line);
      lines.push(line);
      if (lines.length > 200) lines.shift();
      reading.lastText = lines.join('\n');
      return said(line);
    },
    stderr: said,
    finish(exitCode) {
      const end = lines.slice(-20).join('\n');
      // Exit code 0 also after the last of its tries to reach a model failed: then no tokens were counted.
      if (exitCode === 0 && reading.usage !== null) return;
      reading.quota = quotaIn(end, now());
      reading.fault = reading.quota === null ? faultIn(end) : null;
    },
  };
}

export const aider: Preset = {
  name: 'aider',
  program: 'aider',
  call,
  reader,
  counts: 'run',
  resumes: false,
  hasResult: false,
  // Its cache of the repository has no other place than the worktree.
  toolFiles: ['.aider*'],
};
