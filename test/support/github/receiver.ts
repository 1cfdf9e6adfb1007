// An address for the double's deliveries that hands them to a forge as the HTTP door does, without a whole server.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Forge } from '../../../src/core/forge.ts';

export interface Receiver {
  readonly url: string;
  close(): Promise<void>;
}

export async function startReceiver(forge: Forge): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const signature = String(request.headers['x-hub-signature-256'] ?? '');
      void forge.webhook?.verify(body, signature).then((genuine) => {
        response.writeHead(genuine ? 202 : 401).end();
        if (!genuine) return;
        const payload = JSON.parse(body.toString()) as unknown;
        forge.webhook?.receive(String(request.headers['x-github-event']), payload);
      });
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
