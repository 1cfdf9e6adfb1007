// Any command: the prompt on standard input, or wherever its arguments say `{prompt}` or `{prompt_file}`. Its
// exit code is its result, what it prints is what it says.

import { said } from './json-lines.ts';
import { type Call, type CallInput, newReading, type Preset, type StreamReader } from './preset.ts';

const MOST_LINES = 400;

function call({ prompt, promptFile, extra }: CallInput): Call {
  const named = extra.some((one) => /\{prompt(?:_file)?\}/.test(one));
  const args = extra.map((one) =>
    // A function: `$&` in a prompt must stay as it is.
    one.replaceAll('{prompt_file}', () => promptFile).replaceAll('{prompt}', () => prompt),
  );
  return { args, stdin: named ? null : prompt, env: {} };
}

function reader(): StreamReader {
  const reading = newReading();
  const lines: string[] = [];
  return {
    reading,
    stdout(line) {
      lines.push(line);
      if (lines.length > MOST_LINES) lines.shift();
      reading.lastText = lines.join('\n');
      return said(line);
    },
    stderr: said,
    finish: () => undefined,
  };
}

export const anyCommand: Preset = {
  name: 'command',
  program: '',
  call,
  reader,
  counts: 'run',
  resumes: false,
  hasResult: false,
};
