import { expect, it } from 'vitest';
import { createSecretPool } from './secret-pool.ts';

it('gives out 144 bits in URL-safe characters, never the same twice, also over the end of a block', () => {
  const newSecret = createSecretPool();
  const secrets = Array.from({ length: 1000 }, newSecret);
  expect(new Set(secrets).size).toBe(1000);
  for (const secret of secrets) expect(secret).toMatch(/^[\w-]{24}$/);
});

it('asks for randomness once for many, uses every byte of it, and keeps none that was given out', () => {
  const blocks: Buffer[] = [];
  const newSecret = createSecretPool((size) => {
    const block = Buffer.alloc(size, blocks.length + 1);
    block[size - 1] = 0xff;
    blocks.push(block);
    return block;
  });
  const first = Array.from({ length: 256 }, newSecret);
  expect(blocks).toHaveLength(1);
  expect(Buffer.from(first.join(''), 'base64url').at(-1)).toBe(0xff);
  expect(blocks[0]?.every((byte) => byte === 0)).toBe(true);
  expect(newSecret()).toBe(Buffer.alloc(18, 2).toString('base64url'));
});
