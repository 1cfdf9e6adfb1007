// From where the person is to what `banto setup` works on: the checkout, the home folder, the shipped plugin.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isOnPath } from '../config/config.ts';
import { checkoutRoot } from '../config/here.ts';
import { planSetup, type SetupAsked, type SetupPlan } from '../setup/plan-setup.ts';
import type { Ran } from '../setup/plugin-commands.ts';

const PLUGIN = fileURLToPath(new URL('../../plugin', import.meta.url));
const SKILL = join(PLUGIN, 'plugins/banto/skills/banto/SKILL.md');
const MANIFEST = join(PLUGIN, 'plugins/banto/.claude-plugin/plugin.json');
const PATIENCE_MS = 120_000;

/** A tool that asks something gets no answer, and one that hangs is ended. */
function run(program: string, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: PATIENCE_MS,
    });
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output: output.join('') }));
  });
}

export function openSetup(asked: SetupAsked): Promise<SetupPlan> {
  return planSetup(asked, {
    project: checkoutRoot(process.cwd()) ?? process.cwd(),
    home: homedir(),
    plugin: PLUGIN,
    version: (JSON.parse(readFileSync(MANIFEST, 'utf8')) as { version: string }).version,
    skill: readFileSync(SKILL, 'utf8'),
    isInstalled: isOnPath,
    run,
  });
}
