// An address for the double's deliveries that hands them to a forge as the HTTP door does, without a whole server.

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Forge } from '../../../src/core/forge.ts';

export interface Receiver {
  readonly url: string;
  close(): Promise<void>;
}

export async function startReceiver(forge: Forge): Promise<Receiver> {
  const take = async (body: Buffer, headers: IncomingHttpHeaders): Promise<number> => {
    const signature = String(headers['x-hub-signature-256'] ?? '');
    if ((await forge.webhook?.verify(body, signature)) !== true) return 401;
    forge.webhook?.receive(String(headers['x-github-event']), JSON.parse(body.toString()));
    return 202;
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      void take(body, request.headers).then((status) => response.writeHead(status).end());
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
