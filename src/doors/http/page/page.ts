// The live page: one document for all its addresses, and its files under names that change with their content.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { BantoError } from '../../../core/errors.ts';
import type { App } from '../server.ts';
import { createPageFiles, type PageFile } from './page-files.ts';

/** Nothing from elsewhere, nothing inline, and no text becomes markup except through DOMPurify. */
export const PAGE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types dompurify',
].join('; ');

const DOCUMENT = 'index.html';
/** Where the document is served: the page itself reads the address. */
const ADDRESSES = ['/', '/board', '/timeline', '/agents', '/flow', '/tasks/:task_id'];
const AssetParams = Type.Object({ name: Type.String({ pattern: '^[A-Za-z0-9._-]{1,100}$' }) });

function send(request: FastifyRequest, reply: FastifyReply, file: PageFile): FastifyReply {
  const zipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  reply.type(file.type).header('vary', 'accept-encoding');
  if (zipped) reply.header('content-encoding', 'gzip');
  return reply.send(zipped ? file.gzipped : file.plain);
}

export function routePage(app: App): void {
  const files = createPageFiles();
  const config = { access: 'public' } as const;

  async function find(name: string): Promise<PageFile> {
    const file = (await files()).get(name);
    if (file !== undefined) return file;
    throw new BantoError('not_found', 'There is no such file. Reload the page.');
  }

  for (const address of ADDRESSES) {
    app.get(address, { config, schema: { hide: true } }, async (request, reply) => {
      reply.headers({
        'content-security-policy': PAGE_CSP,
        'cross-origin-opener-policy': 'same-origin',
        // Kept, but asked for each time: it names the files of this version.
        'cache-control': 'no-cache',
      });
      return send(request, reply, await find(DOCUMENT));
    });
  }

  const schema = { hide: true, params: AssetParams };
  app.get('/assets/:name', { config, schema }, async (request, reply) => {
    const file = await find(`assets/${request.params.name}`);
    reply.header('cache-control', 'public, max-age=31536000, immutable');
    return send(request, reply, file);
  });
}
