// A plain client for the double's own tests: no library between the test and the wire.

import type { GithubDouble } from './double.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface AskOptions {
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: Record<string, string>;
}

export async function ask(
  github: GithubDouble,
  call: string,
  { body, token = github.token, headers = {} }: AskOptions = {},
): Promise<Reply> {
  const [method = 'GET', path = '/'] = call.split(' ');
  const response = await fetch(`${github.url}${path}`, {
    method,
    redirect: 'manual',
    headers: { authorization: `token ${token}`, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    headers: response.headers,
    body: json ? JSON.parse(text) : text,
  };
}
