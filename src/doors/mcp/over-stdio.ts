// banto mcp: the same tools over standard input and output, for clients that start a program. It only translates:
// the server that it talks to is the one that BANTO_URL names.

import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from './mcp-server.ts';
import type { Api } from './tools.ts';

/** Ends when the client closes the pipe. */
export function serveMcpOverStdio(api: Api, version: string): Promise<void> {
  return new Promise((resolve) => {
    const handle = serveStdio(() => createMcpServer(api, version), {
      onerror: (error) => process.stderr.write(`banto mcp: ${error.message}\n`),
    });
    process.stdin.once('end', () => void handle.close().then(resolve));
    process.stdin.once('close', () => void handle.close().then(resolve));
  });
}
