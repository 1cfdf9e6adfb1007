// A way to Redis that breaks: it cuts, it delays, and it swallows answers after the command has run.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface FaultyProxy {
  readonly port: number;
  readonly url: string;
  /** Every connection breaks; new ones are let through. */
  cut(): void;
  /** Answers come this much later; 0: at once. */
  delay(ms: number): void;
  /** Commands still reach Redis, answers are lost; then every connection breaks. */
  swallow(ms: number): Promise<void>;
  close(): Promise<void>;
}

export async function startFaultyProxy(target: { readonly port: number }): Promise<FaultyProxy> {
  const pairs = new Set<[Socket, Socket]>();
  let delayMs = 0;
  let swallowing = false;

  function cut(): void {
    for (const sockets of pairs) for (const socket of sockets) socket.destroy();
    pairs.clear();
  }

  const server = createServer((client) => {
    const upstream = connect(target.port, '127.0.0.1');
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', end);
      socket.on('close', end);
    }
    client.on('data', (bytes) => upstream.write(bytes));
    upstream.on('data', (bytes) => {
      if (swallowing) return;
      if (delayMs === 0) client.write(bytes);
      else setTimeout(() => client.destroyed || client.write(bytes), delayMs);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  return {
    port: address.port,
    url: `redis://127.0.0.1:${address.port}`,
    cut,
    delay(ms) {
      // Bytes already on their way must not be overtaken: what was delayed is cut off.
      if (ms === 0 && delayMs > 0) cut();
      delayMs = ms;
    },
    async swallow(ms) {
      swallowing = true;
      await new Promise((resolve) => setTimeout(resolve, ms));
      cut();
      swallowing = false;
    },
    async close() {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
}
