// Many commands in one write. Unlike a pipeline of the client's, the first error is thrown.

import type { ChainableCommander } from 'ioredis';
import type { Client } from './connect.ts';

export async function piped(
  client: Client,
  add: (pipe: ChainableCommander) => void,
): Promise<unknown[]> {
  const pipe = client.pipeline();
  add(pipe);
  const replies = (await pipe.exec()) ?? [];
  return replies.map(([error, reply]) => {
    if (error !== null) throw error;
    return reply;
  });
}
