// One outgoing webhook: a signed POST of JSON with a `text` that Slack and tools like it show as it is.

import { createHash, createHmac } from 'node:crypto';
import type { Message } from '../core/reporting/notices.ts';

export interface WebhookOptions {
  readonly url: string;
  /** Null: the message is not signed. */
  readonly secret: string | null;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
const MOST_RETRY_AFTER_SECONDS = 3600;

function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.min(seconds, MOST_RETRY_AFTER_SECONDS) * 1000 : 0;
}

/** The same things have the same id, however often they are sent. */
function deliveryId({ notices }: Message): string {
  const ids = notices.map(({ id }) => id).join(' ');
  return createHash('sha256').update(ids).digest('hex').slice(0, 32);
}

export function createWebhook({ url, secret, timeoutMs = TIMEOUT_MS }: WebhookOptions) {
  return async (message: Message): Promise<void> => {
    const body = JSON.stringify(message);
    const signature = secret === null ? null : createHmac('sha256', secret).update(body);
    const response = await fetch(url, {
      method: 'POST',
      body,
      // The address was chosen by whoever runs Banto: nobody else sends it on.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'banto',
        'banto-delivery': deliveryId(message),
        ...(signature === null ? {} : { 'banto-signature': `sha256=${signature.digest('hex')}` }),
      },
    });
    // The answer is nobody's business, but its connection is to be free again.
    await response.body?.cancel();
    if (response.ok) return;
    const error = new Error(`NOTIFY_URL answered with status ${response.status}`);
    throw Object.assign(error, { retryAfterMs: retryAfterMs(response) });
  };
}
