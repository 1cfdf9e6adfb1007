// A repository with 50,000 open issues: how long a fresh Banto takes until it can hand out, and until it knows all;
// what it holds in memory, and how long it keeps others waiting meanwhile. `GITHUB_LARGE_ISSUES=5000` makes it smaller.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Bench } from './measure.ts';

const ISSUES = Number(process.env['GITHUB_LARGE_ISSUES'] ?? 50_000);

type Child = ChildProcessByStdio<Writable, Readable, null>;

function start(file: string, argument: string): { child: Child; line(): Promise<unknown> } {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), argument], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  return {
    child,
    async line() {
      const [text] = (await once(lines, 'line')) as [string];
      return JSON.parse(text) as unknown;
    },
  };
}

interface Taken {
  readonly firstMs: number;
  readonly listedMs: number;
  readonly settledMs: number;
  readonly rssBefore: number;
  readonly rssMost: number;
  readonly blockedMostMs: number;
  readonly blocked99Ms: number;
  readonly ready: number;
  readonly held: number;
}

interface Asked {
  readonly all: number;
  readonly listings: number;
  readonly told: number;
}

async function live(paced: boolean): Promise<Taken & { asked: Asked }> {
  const double = start('github-double.ts', `${ISSUES}`);
  try {
    const place = (await double.line()) as object;
    const banto = start('github-large-banto.ts', JSON.stringify({ ...place, paced }));
    const taken = (await banto.line()) as Taken;
    double.child.stdin.write('\n');
    return { ...taken, asked: (await double.line()) as Asked };
  } finally {
    double.child.kill();
  }
}

export const githubLargeBench: Bench = {
  name: 'github-large',
  about: `a fresh start on a repository with ${ISSUES} open issues`,
  async run(report) {
    for (const paced of [true, false]) {
      const taken = await live(paced);
      const how = paced ? 'as it is' : 'without pace';
      const rows: [name: string, unit: string, figure: number][] = [
        ['first hand-out', 's', taken.firstMs / 1000],
        ['all listed', 's', taken.listedMs / 1000],
        ['all judged, first poll done', 's', taken.settledMs / 1000],
        ['requests', 'in all', taken.asked.all],
        ['listing requests', 'in all', taken.asked.listings],
        ['limits run into', 'in all', taken.asked.told],
        ['tasks ready', 'in all', taken.ready],
        ['tasks held', 'in all', taken.held],
        ['resident memory before', 'MB', taken.rssBefore],
        ['resident memory', 'MB at most', taken.rssMost],
        ['event loop late', 'ms, 99 of 100', taken.blocked99Ms],
        ['event loop late', 'ms at most', taken.blockedMostMs],
      ];
      const cases = rows.map(([name, unit, figure]) => ({
        name: `${how}: ${name}`,
        unit,
        run: () => figure,
      }));
      await report.measure(cases, { repetitions: 1, warmUps: 0 });
    }
  },
};
