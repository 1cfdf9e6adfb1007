import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commaList } from '../../core/text/comma-list.ts';
import { workCommand } from './work-command.ts';

const HERE = 'http://127.0.0.1:8080';

test('who copies the command has everything that banto work asks for', () => {
  expect(workCommand(null, HERE)).toBe("banto work --agent w1 --cap '*' --preset claude");
  const agent = { agent_id: 'a1', capabilities: ['go', 'ui'] };
  expect(workCommand(agent, 'https://banto.example.com')).toBe(
    'banto work --agent a1 --cap go,ui --preset claude --url https://banto.example.com',
  );
});

test('no label of an agent means anything to the shell, and all of them arrive', () => {
  const capabilities = [
    '$(touch x)',
    "it's `id`",
    'a,b',
    'say "hi"',
    'good first issue',
    '-n',
    '*',
  ];
  const command = workCommand({ agent_id: 'a1', capabilities }, HERE);
  const script = `banto() { printf '%s\\n' "$@"; }; ${command}`;
  const words = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\n');
  expect(words.slice(0, 4)).toEqual(['work', '--agent', 'a1', '--cap']);
  expect(commaList(words[4] ?? '')).toEqual(capabilities);
});
