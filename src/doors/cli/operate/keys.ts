// banto keys: looks at, saves and tidies the keys of one namespace in Redis. Works without a server.

import type { Command } from 'commander';
import { examples } from '../options/options.ts';
import type { SettingFlags } from '../options/setting-flags.ts';
import { columnsOf, print, printJson, type Shell } from '../shell.ts';
import { table } from '../terminal/text.ts';
import { duration } from '../terminal/time-text.ts';
import type { KeysTool, Progress } from './keys-tool.ts';

interface Options {
  readonly config?: string;
  readonly namespace?: string;
  readonly json?: true;
  readonly progress?: boolean;
}

const flagsOf = ({ config, namespace }: Options): SettingFlags => ({
  BANTO_CONFIG: config,
  REDIS_NAMESPACE: namespace,
});

const EVERY_MS = 200;

/** One line that is written over, on a terminal; lines, where somebody asked for them. */
function reporter(shell: Shell, { progress }: Options) {
  const live = shell.stderr.isTTY === true;
  const wanted = progress ?? live;
  let nextAt = shell.now() + EVERY_MS;
  let shown = false;
  const report: Progress = (done, of) => {
    const now = shell.now();
    if (!wanted || now < nextAt) return;
    nextAt = now + EVERY_MS;
    shown = true;
    const text = of === null ? `${done} keys` : `${done} of ${of}`;
    shell.stderr.write(live ? `\r\u001b[K${text}` : `${text}\n`);
  };
  return { report, end: () => shown && live && shell.stderr.write('\r\u001b[K') };
}

async function withKeys(
  shell: Shell,
  options: Options,
  act: (tool: KeysTool, report: Progress) => Promise<void>,
): Promise<void> {
  const tool = await shell.keys(flagsOf(options));
  const { report, end } = reporter(shell, options);
  try {
    await act(tool, report);
  } finally {
    end();
    await tool.close();
  }
}

function works(command: Command): Command {
  return command
    .option('--namespace <name>', 'the namespace (REDIS_NAMESPACE; default: banto)')
    .option('--config <file>', 'the configuration file (default: banto.config.json)')
    .option('--json', 'print the answer as JSON')
    .option('--progress', 'show progress on standard error, terminal or not');
}

const size = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB'];
  const power = Math.min(units.length, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1]}`;
};

const FILTER = 'only these: a component (issue), a beginning (issue:status) or a pattern (*:7)';

function addList(group: Command, shell: Shell): void {
  const command = works(group.command('list').description('Lists keys with type and time to live.'))
    .argument('[filter]', FILTER)
    .action((filter: string | undefined, options: Options) =>
      withKeys(shell, options, async (tool, report) => {
        const keys = await tool.list(filter ?? null, report);
        if (options.json) {
          const shown = keys.map(({ key, type, ttlMs }) => ({ key, type, ttl_ms: ttlMs }));
          return printJson(shell, { namespace: tool.namespace, keys: shown });
        }
        if (keys.length === 0) return print(shell, 'There is no such key.');
        const rows = keys.map(({ key, type, ttlMs }) => [
          type,
          ttlMs === null ? '-' : duration(ttlMs / 1000),
          key,
        ]);
        print(shell, ...table([['TYPE', 'EXPIRES IN', 'KEY'], ...rows], columnsOf(shell)));
      }),
    );
  examples(command, 'banto keys list issue', "banto keys list '*:7' --json");
}

function addCount(group: Command, shell: Shell): void {
  const command = works(group.command('count').description('Counts keys by component.'))
    .argument('[filter]', FILTER)
    .action((filter: string | undefined, options: Options) =>
      withKeys(shell, options, async (tool, report) => {
        const components = await tool.count(filter ?? null, report);
        const total = components.reduce((sum, { keys }) => sum + keys, 0);
        if (options.json) {
          return printJson(shell, { namespace: tool.namespace, total, components });
        }
        const rows = components.map(({ component, keys }) => [component, `${keys}`]);
        const lines = [['COMPONENT', 'KEYS'], ...rows, ['total', `${total}`]];
        print(shell, ...table(lines, columnsOf(shell)));
      }),
    );
  examples(command, 'banto keys count', 'banto keys count ticket --json');
}

function addMemory(group: Command, shell: Shell): void {
  const command = works(
    group.command('memory').description('Memory by component, and the largest keys.'),
  )
    .argument('[filter]', FILTER)
    .action((filter: string | undefined, options: Options) =>
      withKeys(shell, options, async (tool, report) => {
        const { components, largest } = await tool.memory(filter ?? null, report);
        const bytes = components.reduce((sum, one) => sum + one.bytes, 0);
        const keys = components.reduce((sum, one) => sum + one.keys, 0);
        if (options.json) {
          const total = { keys, bytes };
          return printJson(shell, { namespace: tool.namespace, total, components, largest });
        }
        const rows = [...components, { component: 'total', keys, bytes }];
        const lines = rows.map((one) => [one.component, `${one.keys}`, size(one.bytes)]);
        print(shell, ...table([['COMPONENT', 'KEYS', 'MEMORY'], ...lines], columnsOf(shell)));
        const big = largest.map((one) => [size(one.bytes), one.key]);
        if (big.length > 0) {
          print(shell, '', ...table([['LARGEST', 'KEY'], ...big], columnsOf(shell)));
        }
      }),
    );
  examples(command, 'banto keys memory', 'banto keys memory task --json');
}

function addBackup(group: Command, shell: Shell): void {
  const command = works(
    group
      .command('backup')
      .description(
        'Writes every key with its type, value and expiry into a file. While Banto works on the namespace the keys are of slightly different moments; the answer says whether anything changed.',
      ),
  )
    .argument('<file>', 'where to; it must not exist yet')
    .action((file: string, options: Options) =>
      withKeys(shell, options, async (tool, report) => {
        const done = await tool.backup(file, report);
        if (options.json) return printJson(shell, { namespace: tool.namespace, file, ...done });
        print(shell, `Saved ${done.keys} keys of ${tool.namespace} (${size(done.bytes)}).`);
        if (!done.exact) {
          shell.stderr.write(
            'Banto was at work meanwhile: the keys are of slightly different moments. For an exact copy stop it first.\n',
          );
        }
      }),
    );
  examples(command, 'banto keys backup banto.backup');
}

function addRestore(group: Command, shell: Shell): void {
  const command = works(
    group
      .command('restore')
      .description(
        'Puts a backup into a namespace, its own or another, byte for byte. The file is checked to its end before anything is written. Every Banto on the namespace must be stopped.',
      ),
  )
    .argument('<file>', 'a file of banto keys backup')
    .option('--replace', 'remove what is in the namespace first')
    .action((file: string, options: Options & { replace?: true }) =>
      withKeys(shell, options, async (tool, report) => {
        const done = await tool.restore(file, options.replace ?? false, report);
        if (options.json) return printJson(shell, { namespace: tool.namespace, file, ...done });
        const expired = done.expired === 0 ? '' : `; ${done.expired} had expired meanwhile`;
        print(shell, `Restored ${done.keys} keys into ${tool.namespace}${expired}.`);
      }),
    );
  examples(
    command,
    'banto keys restore banto.backup --namespace rehearsal',
    'banto keys restore banto.backup --replace',
  );
}

function addClean(group: Command, shell: Shell): void {
  const command = works(
    group
      .command('clean')
      .description(
        'Removes what is finished or expired: results of issues on which nothing is left to do, past days, empty buckets, stale tickets, old statistics, silent agents and instances, functions of earlier versions. Safe while Banto runs.',
      ),
  )
    .option('--dry-run', 'only say what would be removed')
    .action((options: Options & { dryRun?: true }) =>
      withKeys(shell, options, async (tool, report) => {
        const dryRun = options.dryRun ?? false;
        const cleaned = await tool.clean({ dryRun, progress: report });
        const total = cleaned.reduce((sum, { removed }) => sum + removed, 0);
        if (options.json) {
          const removed = Object.fromEntries(cleaned.map((one) => [one.kind, one.removed]));
          return printJson(shell, {
            namespace: tool.namespace,
            dry_run: dryRun,
            total,
            removed,
          });
        }
        const rows = cleaned.map(({ kind, removed }) => [kind, `${removed}`]);
        const head = ['WHAT', dryRun ? 'WOULD GO' : 'REMOVED'];
        print(shell, ...table([head, ...rows, ['total', `${total}`]], columnsOf(shell)));
      }),
    );
  examples(command, 'banto keys clean --dry-run', 'banto keys clean');
}

export function addKeysCommands(program: Command, shell: Shell): void {
  const group = program
    .command('keys')
    .summary('look at, save and tidy the keys in Redis')
    .description(
      'The keys of one namespace in Redis (REDIS_URL, REDIS_NAMESPACE). Never touches a key outside it.',
    );
  for (const add of [addList, addCount, addMemory, addBackup, addRestore, addClean]) {
    add(group, shell);
  }
  examples(group, 'banto keys count', 'banto keys backup banto.backup', 'banto keys clean');
}
