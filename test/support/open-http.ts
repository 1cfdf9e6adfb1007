// A real HTTP door on a free port in front of a real broker, and how a program without Banto's client calls it.

import type { Broker } from '../../src/broker/broker.ts';
import { createHttpDoor } from '../../src/doors/http/door.ts';
import { createTelemetry } from '../../src/telemetry.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever came.
  readonly body: any;
}

export interface OpenHttp {
  readonly url: string;
  call(method: string, path: string, body?: object, signal?: AbortSignal): Promise<HttpAnswer>;
  /** POST /request-task with nothing but what is given. */
  ask(agentId: string, over?: object, signal?: AbortSignal): Promise<HttpAnswer>;
  close(): Promise<void>;
}

export async function openHttp(broker: Broker): Promise<OpenHttp> {
  const door = createHttpDoor({
    broker,
    telemetry: createTelemetry({ level: 'error', write: () => undefined }),
    settings: { host: '127.0.0.1', port: 0, version: '0.0.0', tokensRequired: false },
  });
  const url = await door.listen();
  const call: OpenHttp['call'] = async (method, path, body, signal) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === '' ? null : JSON.parse(text),
    };
  };
  return {
    url,
    call,
    ask: (agentId, over = {}, signal) =>
      call(
        'POST',
        '/request-task',
        { agent_id: agentId, capabilities: ['python'], ...over },
        signal,
      ),
    close: () => door.close(),
  };
}
