// What serves MCP behind /mcp: the shape that the composition root fills in.

import type { Answer, Call } from '../../../client/transport.ts';

/** What serves MCP; made by the composition root, so that this door need not know the protocol. */
export interface McpHandler {
  handle(
    request: import('node:http').IncomingMessage,
    response: import('node:http').ServerResponse,
    body: unknown,
  ): Promise<void>;
  close(): Promise<void>;
}

export type CreateMcp = (options: {
  version: string;
  send: (call: Call, authorization: string | null) => Promise<Answer>;
  onError: (error: Error) => void;
}) => McpHandler;
