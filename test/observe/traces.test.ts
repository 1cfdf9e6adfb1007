// The way of one task as spans, as a collector gets them: a real Banto, a real OTLP receiver.

import { globSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { loadConfig } from '../../src/config/config.ts';
import { type Served, serve } from '../../src/serve.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { type BacklogRepository, makeBacklogRepository } from '../support/backlog-repository.ts';
import { eventually } from '../support/eventually.ts';
import { configFor } from '../support/serve-config.ts';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: { key: string; value: Record<string, unknown> }[];
  readonly events?: { name: string }[];
  readonly status?: { code?: number; message?: string };
}

interface Export {
  readonly resourceSpans: {
    resource: { attributes: Span['attributes'] };
    scopeSpans: { spans: Span[] }[];
  }[];
}

let repository: BacklogRepository | null = null;
let receiver: Server | null = null;
let banto: Served | null = null;

afterEach(async () => {
  await banto?.stop();
  banto = null;
  receiver?.closeAllConnections();
  receiver?.close();
  receiver = null;
  await repository?.remove();
  vi.unstubAllEnvs();
});

/** OpenTelemetry reads its variables itself. */
async function start(env: Record<string, string>): Promise<Served> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  repository = await makeBacklogRepository();
  await repository.write(1);
  const { traces = false } = loadConfig({ env, cwd: repository.repoDir });
  const config = { ...configFor(repository), traces };
  return serve(config, createTelemetry({ level: 'silent' }));
}

async function receive(): Promise<{ url: string; exports: Export[] }> {
  const exports: Export[] = [];
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (request.url === '/v1/traces') exports.push(JSON.parse(body) as Export);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => receiver?.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`, exports };
}

const attributes = (list: Span['attributes']) =>
  Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));

async function work(url: string): Promise<void> {
  const client = createClient({ url });
  const ask = async () => {
    const body = { agent_id: 'a1', capabilities: ['python'], wait_seconds: 10 };
    const task = await client.requestTask(body);
    if (task === null) throw new Error('There was no task.');
    return task;
  };
  const first = await ask();
  await client.fail(first.task_id, {
    lease_token: first.lease.token,
    reason: 'it rained',
    delay_seconds: 0,
  });
  const second = await ask();
  await client.heartbeat(second.task_id, { lease_token: second.lease.token, progress: 'half' });
  await client.complete(second.task_id, { lease_token: second.lease.token });
}

it('a task is one trace: the time it waited and each attempt lie within it', async () => {
  const { url, exports } = await receive();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_SERVICE_NAME: 'shop-banto',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
  banto = await start(env);
  await work(banto.url);
  const spans = () =>
    exports.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );
  await eventually(
    async () => spans(),
    (all) => all.some(({ name }) => name === 'implement'),
  );
  const all = spans();
  expect(all.map(({ name }) => name)).toEqual([
    'waiting',
    'attempt 1',
    'waiting',
    'attempt 2',
    'implement',
  ]);
  const root = all.find(({ name }) => name === 'implement');
  for (const span of all) {
    expect(span.traceId).toBe(root?.traceId);
    expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(
      BigInt(root?.startTimeUnixNano ?? 0),
    );
    expect(BigInt(span.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(root?.endTimeUnixNano ?? 0));
    if (span !== root) expect(span.parentSpanId).toBe(root?.spanId);
  }
  const attempt = all.find(({ name }) => name === 'attempt 1');
  expect(attempt?.status).toMatchObject({ code: 2, message: 'it rained' });
  expect(attributes(attempt?.attributes ?? [])).toMatchObject({
    'banto.agent_id': 'a1',
    'banto.outcome': 'failed',
    'banto.issue': 1,
    'banto.kind': 'implement',
  });
  expect(all.find(({ name }) => name === 'attempt 2')?.events).toMatchObject([
    { name: 'progress' },
  ]);
  const [resource] = exports[0]?.resourceSpans ?? [];
  expect(attributes(resource?.resource.attributes ?? [])).toMatchObject({
    'service.name': 'shop-banto',
  });
});

it('a collector that is away disturbs nobody, and Banto ends in time', async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_BSP_SCHEDULE_DELAY: '50' };
  banto = await start(env);
  await work(banto.url);
  const startedAt = performance.now();
  await banto.stop();
  banto = null;
  expect(performance.now() - startedAt).toBeLessThan(8000);
});

it('OpenTelemetry is loaded only by the module that is asked to trace, and only then', () => {
  const src = join(import.meta.dirname, '..', '..', 'src');
  const loads = globSync('**/*.ts', { cwd: src }).flatMap((file) => {
    const text = readFileSync(join(src, file), 'utf8');
    return [...text.matchAll(/^import (?!type )[^;]*?from '@opentelemetry/gm)].map(() => file);
  });
  expect(loads).toEqual([]);
});
