// A real HTTP door on a free port in front of a real broker, and how a program without Banto's client calls it.

import type { Broker } from '../../src/broker/broker.ts';
import { createHttpDoor } from '../../src/doors/http/door.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';

/** What tests look at, in whichever answer it stands. */
interface Body {
  readonly issue_id: number;
  readonly task_id: string;
  readonly completed_task_id: string | null;
  readonly lease: { readonly token: string };
  readonly code: string;
  readonly detail: string | undefined;
  readonly summary: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Empty where there was none. */
  readonly body: Body;
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
      body: JSON.parse(text === '' ? '{}' : text) as Body,
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
