// Secrets from a pool of random bytes: asking the system for each of them costs more than the rest of a claim's
// preparation. A secret leaves the pool as it is given out.

import { randomBytes } from 'node:crypto';

/** 144 bits. */
const SECRET_BYTES = 18;
const SECRETS_IN_BLOCK = 256;

/** Gives out 24 URL-safe characters each time. */
export function createSecretPool(fill: (size: number) => Buffer = randomBytes): () => string {
  let block: Buffer = Buffer.alloc(0);
  let at = 0;
  return () => {
    if (at === block.length) {
      block = fill(SECRET_BYTES * SECRETS_IN_BLOCK);
      at = 0;
    }
    const secret = block.toString('base64url', at, at + SECRET_BYTES);
    block.fill(0, at, at + SECRET_BYTES);
    at += SECRET_BYTES;
    return secret;
  };
}
