// banto stats: what was handed out and what became of it, drawn.

import type { Command } from 'commander';
import { examples, type TalkOptions, talkFlags, talks, word } from '../options/options.ts';
import { columnsOf, painter, print, printJson, type Shell } from '../shell.ts';
import { statsChart } from './stats-chart.ts';

interface StatsOptions extends TalkOptions {
  readonly period: 'daily' | 'hourly';
}

const SHOWN = { daily: 'last 7 days', hourly: 'last 24 hours' } as const;

export function addStats(program: Command, shell: Shell): void {
  const command = talks(
    program
      .command('stats')
      .summary('what was handed out, completed and failed')
      .description(
        'Draws what was completed, failed and expired in the last 7 days, or by hour in the last 24 hours.',
      ),
  )
    .option('--period <period>', 'daily or hourly', word('daily', 'hourly'), 'daily')
    .action(async (options: StatsOptions) => {
      const stats = await shell.session(talkFlags(options)).client.stats(options.period);
      if (options.json) return printJson(shell, stats);
      const place = { now: shell.now(), columns: columnsOf(shell), paint: painter(shell) };
      const lines = statsChart(stats, place);
      if (lines !== null) return print(shell, ...lines);
      if (stats.rows.length === 0) return print(shell, 'Nothing has happened yet.');
      print(shell, `Nothing happened in the ${SHOWN[options.period]}.`);
    });
  examples(command, 'banto stats', 'banto stats --period hourly --json');
}
