// What `banto doctor` says of addresses: the one that a server here would listen on, and the one that commands talk to.

import { createServer } from 'node:net';
import { createClient } from '../client/client.ts';
import { localUrl } from '../config/config.ts';
import type { ClientConfig, Config } from '../config/shape.ts';
import { type Finding, ok, problem } from '../doors/cli/start/check.ts';

const ANSWER_WITHIN_MS = 3000;

/** Null: free. Otherwise the code of the error. */
function tryListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

/** The version of the Banto that answers at the address of this configuration; null: none does. */
async function runningVersion({ host, port }: Config): Promise<string | null> {
  const client = createClient({ url: localUrl(host, port) });
  try {
    const { version } = await client.health({ signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return typeof version === 'string' ? version : null;
  } catch {
    return null;
  }
}

export async function checkPort(config: Config): Promise<Finding[]> {
  const { host, port } = config;
  const code = await tryListen(host, port);
  if (code === null) return [ok(`${host}:${port} is free`)];
  if (code !== 'EADDRINUSE') {
    return [
      problem(
        `${host}:${port} cannot be listened on (${code})`,
        'Set BROKER_HOST and BROKER_PORT.',
      ),
    ];
  }
  const version = await runningVersion(config);
  if (version !== null) return [ok(`Banto ${version} is running at ${host}:${port}`)];
  return [
    problem(`Another program uses ${host}:${port}`, 'Stop it, or set BROKER_PORT to another port.'),
  ];
}

/** The server that commands talk to. What is wrong is said by the error: not there, no token, another program. */
export async function checkServer({ url, token }: ClientConfig): Promise<Finding[]> {
  const client = createClient({ url, token });
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  try {
    const { version } = await client.health({ signal });
    await client.queue({ signal });
    const taken = token === null ? '' : ' and takes BANTO_TOKEN';
    return [ok(`Banto ${version} answers at ${url}${taken}`)];
  } catch (error) {
    if (!signal.aborted) throw error;
    const fix = 'Check BANTO_URL, and what is between this machine and that one.';
    return [problem(`${url} gave no answer within ${ANSWER_WITHIN_MS / 1000} s`, fix)];
  }
}
