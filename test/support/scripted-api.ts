// A small real HTTP server that answers as it is told, for tests of what talks to the API.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { API_HEADER, API_VERSION } from '../../src/doors/schema/headers.ts';

export const SPOKEN_BY_BANTO = { [API_HEADER]: API_VERSION };
/** The headers of a reply by some other program. */
export const NOT_BANTO = { [API_HEADER]: '' };

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
}

/** `lost`: the connection is cut without an answer. `taken`: the script writes the answer itself. */
export type Script = (request: Received, raw: ServerResponse) => Reply | 'lost' | 'taken';

export interface ScriptedApi {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  close(): Promise<void>;
}

async function receive(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? '/', 'http://x');
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

function answer(reply: Reply, raw: ServerResponse): void {
  const text = reply.json === undefined ? (reply.text ?? '') : JSON.stringify(reply.json);
  const headers = { 'content-type': 'application/json', ...SPOKEN_BY_BANTO, ...reply.headers };
  raw.writeHead(reply.status ?? 200, headers);
  raw.end(text);
}

export async function scriptedApi(script: Script): Promise<ScriptedApi> {
  const received: Received[] = [];
  async function handle(request: IncomingMessage, raw: ServerResponse): Promise<void> {
    const one = await receive(request);
    received.push(one);
    const reply = script(one, raw);
    if (reply === 'lost') request.socket.destroy();
    else if (reply !== 'taken') answer(reply, raw);
  }
  const server = createServer((request, raw) => {
    handle(request, raw).catch((error: unknown) => raw.destroy(error as Error));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

export function refusal(status: number, code: string, error: string): Reply {
  return { status, json: { error, code } };
}
