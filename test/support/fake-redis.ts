// Says that it is a Redis of another version. Only for the refusal of one that is too old: nobody can
// install that beside the real one.

import { once } from 'node:events';
import { createServer } from 'node:net';

export async function startFakeRedis(version: string): Promise<{ url: string; close(): void }> {
  const info = `# Server\r\nredis_version:${version}\r\nloading:0\r\n`;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      // Each command is an array; its name is enough to answer it.
      for (const command of bytes.toString('latin1').split(/(?=\*\d+\r\n\$)/)) {
        const isInfo = /\r\nINFO\r\n/i.test(command);
        socket.write(isInfo ? `$${info.length}\r\n${info}\r\n` : '+OK\r\n');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port was free.');
  return { url: `redis://127.0.0.1:${address.port}`, close: () => server.close() };
}
