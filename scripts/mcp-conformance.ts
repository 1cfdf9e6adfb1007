// The official MCP conformance suite against a server of its own. Fetches the suite from npm, so it is not in the gate.
// What does not apply to Banto stands in test/mcp/conformance-baseline.yml, with the reason.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { makeBacklogRepository } from '../test/support/backlog-repository.ts';
import { startBanto } from '../test/support/run-banto.ts';

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const BASELINE = join(import.meta.dirname, '../test/mcp/conformance-baseline.yml');
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;

const repository = await makeBacklogRepository();
const env = {
  BROKER_PORT: '0',
  LOG_LEVEL: 'silent',
  BANTO_DATA_DIR: repository.dataDir,
  BANTO_REPO: repository.repoDir,
};
const { child, ended, said } = await startBanto(['serve'], ADDRESS, {
  env,
  cwd: repository.repoDir,
});
try {
  const url = `${ADDRESS.exec(said)?.[0]}/mcp`;
  const flags = ['--url', url, '--requirements', '2026-07-28', '--expected-failures', BASELINE];
  const suite = spawn('npx', ['--yes', SUITE, 'server', ...flags], { stdio: 'inherit' });
  process.exitCode = await new Promise<number>((resolve) => {
    suite.on('close', (code) => resolve(code ?? 1));
  });
} finally {
  child.kill('SIGTERM');
  await ended;
  await repository.remove();
}
