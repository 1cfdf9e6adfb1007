// One HTTP exchange over node:http(s). Not fetch: a long poll may be silent for longer than its fixed
// 300 s, and that limit cannot be lifted without another dependency.

import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { BantoError } from '../core/errors.ts';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the server's address, beginning with `/`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The connection is given up after this long without a byte. */
  readonly silenceMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Transport {
  /** The address as errors name it. */
  readonly address: string;
  send(call: Call): Promise<Answer>;
  /** The answer's head; its body is read by the caller. */
  open(call: Call): Promise<IncomingMessage>;
}

/** Set as the cause of `unreachable` when the server stayed silent: it may still be working. */
export class Silence extends Error {}

export function createTransport(options: { url: string; token: string | null }): Transport {
  const base = parseAddress(options.url);
  const address = base.href.replace(/\/$/, '');
  const module = base.protocol === 'https:' ? https : http;
  const agent = new module.Agent({ keepAlive: true });

  function unreachable(cause: Error): BantoError {
    const word = cause instanceof Silence ? cause.message : describe(cause);
    return new BantoError(
      'unreachable',
      `Banto cannot be reached at ${address} (${word}). Start it with \`banto serve\`, or set BANTO_URL to where it is.`,
      { cause },
    );
  }

  function open(call: Call): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const payload = call.body === undefined ? null : Buffer.from(JSON.stringify(call.body));
    const request = module.request(target(base, call), {
      method: call.method,
      agent,
      headers: headersFor(call, payload, options.token),
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    });
    request.setTimeout(call.silenceMs, () => {
      const seconds = Math.round(call.silenceMs / 1000);
      request.destroy(new Silence(`no answer for ${seconds} s`));
    });
    request.on('response', resolve);
    request.on('error', (error) =>
      reject(call.signal?.aborted === true ? error : unreachable(error)),
    );
    request.end(payload);
    return promise;
  }

  async function send(call: Call): Promise<Answer> {
    const response = await open(call);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of response) chunks.push(chunk as Buffer);
    } catch (error) {
      throw call.signal?.aborted === true ? error : unreachable(error as Error);
    }
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text: Buffer.concat(chunks).toString('utf8'),
    };
  }

  return { address, send, open };
}

function parseAddress(url: string): URL {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new BantoError(
      'misconfigured',
      `The server's address ${JSON.stringify(url)} is not one that begins with http:// or https://.`,
    );
  }
  // A password in the address would end up in errors.
  parsed.username = '';
  parsed.password = '';
  parsed.search = '';
  parsed.hash = '';
  return parsed;
}

function target(base: URL, call: Call): URL {
  const url = new URL(base.href.replace(/\/$/, '') + call.path);
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

function headersFor(call: Call, payload: Buffer | null, token: string | null) {
  return {
    accept: 'application/json',
    ...(payload === null
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(payload.length) }),
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...call.headers,
  };
}

/** Connecting to a name with two addresses fails with one error for each: the first code says enough. */
function describe(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined) return code;
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  return first === undefined ? error.message : describe(first);
}
