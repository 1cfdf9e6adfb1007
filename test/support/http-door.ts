// A real HTTP door on a free port in front of a scripted broker.

import { connect } from 'node:net';
import type { ForgeWebhook } from '../../src/core/forge.ts';
import { createHttpDoor, type HttpDoor } from '../../src/doors/http/door.ts';
import type { HttpSettings } from '../../src/doors/http/settings.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { createScriptedBroker, type ScriptedBroker } from './scripted-broker.ts';

export interface OpenDoor {
  readonly door: HttpDoor;
  readonly broker: ScriptedBroker;
  readonly url: string;
  readonly port: number;
  readonly lines: string[];
}

export async function openDoor(
  settings: Partial<HttpSettings> = {},
  webhook?: ForgeWebhook,
): Promise<OpenDoor> {
  const lines: string[] = [];
  const broker = createScriptedBroker();
  const door = createHttpDoor({
    broker: webhook === undefined ? broker : { ...broker, webhook },
    telemetry: createTelemetry({ level: 'info', write: (line) => lines.push(line) }),
    settings: { host: '127.0.0.1', port: 0, version: '1.2.3', tokensRequired: false, ...settings },
  });
  const url = await door.listen();
  return { door, broker, url, port: Number(new URL(url).port), lines };
}

/** Sends bytes as they are and reads until the server closes. */
export function sendRaw(port: number, ...parts: (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part);
    });
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A server that refuses a huge body may close while it is still being sent.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
  });
}

/** Asks again until it holds; fails with the last problem when the time is over. */
export async function eventually(
  check: () => void | Promise<void>,
  withinMs = 5_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
