// banto doctor: runs the checks it is given and says how to fix what is wrong.

import type { Command } from 'commander';
import { PRESET_NAMES, type PresetName } from '../../../worker/presets/names.ts';
import { examples, type PlaceOptions, placed, placeFlags, word } from '../options/options.ts';
import { painter, print, printJson, type Shell } from '../shell.ts';
import { EXIT } from '../terminal/exit.ts';
import { clean } from '../terminal/text.ts';
import type { Check, Finding } from './check.ts';

interface Line extends Finding {
  readonly check: string;
}

async function examine(check: Check): Promise<Line[]> {
  try {
    return (await check.run()).map((finding) => ({ check: check.name, ...finding }));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [{ check: check.name, status: 'problem', message }];
  }
}

interface Options extends PlaceOptions {
  readonly json?: true;
  readonly preset?: PresetName;
}

export function addDoctor(program: Command, shell: Shell, done: (code: number) => void): void {
  const command = placed(
    program
      .command('doctor')
      .summary('check that Banto can run here')
      .description(
        'Checks Node, the settings, git, the repository, the backlog, the prompts, the port, the store, and the server where BANTO_URL names one. Exit code 1: there is a problem.',
      ),
  )
    .option(
      '--preset <tool>',
      `check this coding agent instead: ${PRESET_NAMES.join(', ')}`,
      word(...PRESET_NAMES),
    )
    .option('--json', 'print the findings as JSON')
    .action(async (options: Options) => {
      const lines: Line[] = [];
      const checks =
        options.preset === undefined
          ? shell.checks(placeFlags(options))
          : await shell.presetChecks(options.preset);
      for (const check of checks) lines.push(...(await examine(check)));
      const healthy = lines.every((line) => line.status !== 'problem');
      if (options.json) printJson(shell, { healthy, findings: lines });
      else print(shell, ...lines.flatMap((line) => describe(line, shell)));
      done(healthy ? EXIT.ok : EXIT.error);
    });
  examples(
    command,
    'banto doctor',
    'banto doctor --repo ../shop --json',
    'banto doctor --preset claude',
  );
}

const COLORS = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

function describe(line: Line, shell: Shell): string[] {
  const paint = painter(shell);
  const head = `${paint(COLORS[line.status], line.status.padEnd(8))} ${line.check.padEnd(10)} ${clean(line.message)}`;
  return line.fix === undefined ? [head] : [head, `${' '.repeat(20)}→ ${clean(line.fix)}`];
}
