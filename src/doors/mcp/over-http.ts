// MCP at /mcp: streamable HTTP without sessions. Every request is answered by a fresh server with the caller's own
// rights: its tools call the HTTP API with the token that came along, inside this process.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createClient } from '../../client/client.ts';
import type { Transport } from '../../client/transport.ts';
import { createMcpServer } from './mcp-server.ts';

/** A call of the API inside this process. */
export type Send = (
  call: Parameters<Transport['send']>[0],
  authorization: string | null,
) => ReturnType<Transport['send']>;

export interface McpOverHttp {
  handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void>;
  close(): Promise<void>;
}

function inProcess(send: Send, authorization: string | null): Transport {
  return {
    address: 'this server',
    send: (call) => send(call, authorization),
    open: () => Promise.reject(new Error('streams are not used by the tools')),
  };
}

export function createMcpOverHttp(options: {
  version: string;
  send: Send;
  onError: (error: Error) => void;
}): McpOverHttp {
  const { version, send, onError } = options;
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const authorization = requestInfo?.headers.get('authorization') ?? null;
      const transport = inProcess(send, authorization);
      return createMcpServer(createClient({ url: 'http://localhost', transport }), version);
    },
    { onerror: onError },
  );
  const answer = toNodeHandler(handler, { onerror: onError });
  return {
    handle: (request, response, body) =>
      answer(request as Parameters<typeof answer>[0], response, body),
    close: () => handler.close(),
  };
}
