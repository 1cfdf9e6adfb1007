// An agent's own token and the lease of another agent, through the real server.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { type Served, serve } from '../../src/serve.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { type BacklogRepository, makeBacklogRepository } from '../support/backlog-repository.ts';
import { eventually } from '../support/eventually.ts';
import { configFor } from '../support/serve-config.ts';

let repository: BacklogRepository;
let served: Served;
let operator: Client;
beforeEach(async () => {
  repository = await makeBacklogRepository();
  await repository.write(1);
  served = await serve(configFor(repository), createTelemetry({ level: 'silent' }));
  operator = createClient({ url: served.url });
  await eventually(
    () => operator.queue(),
    (queue) => queue.by_state.ready === 1,
  );
});
afterEach(async () => {
  await served.stop();
  await repository.remove();
});

async function clientOf(agentId: string): Promise<Client> {
  const { token } = await operator.createToken({ agent_id: agentId });
  return createClient({ url: served.url, token });
}

type Call = [name: string, call: (client: Client, id: string, token: string) => Promise<unknown>];
const CALLS: Call[] = [
  ['heartbeat', (client, id, token) => client.heartbeat(id, { lease_token: token })],
  ['complete', (client, id, token) => client.complete(id, { lease_token: token })],
  ['fail', (client, id, token) => client.fail(id, { lease_token: token, reason: 'no' })],
  ['release', (client, id, token) => client.release(id, { lease_token: token })],
];

describe.each(CALLS)('%s', (_, call) => {
  test('is the holder’s: a stranger is told so and changes nothing', async () => {
    const [hana, kenji] = [await clientOf('hana'), await clientOf('kenji')];
    const task = await hana.requestTask({ agent_id: 'hana', capabilities: ['*'] });
    const [id, token] = [task?.task_id ?? '', task?.lease.token ?? ''];
    const before = await operator.task(id);
    await expect(call(kenji, id, token)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/agent kenji.*held by another agent/),
    });
    const { lease, history } = await operator.task(id);
    expect({ lease, history }).toEqual({ lease: before.lease, history: before.history });
    await call(hana, id, token);
  });

  test('with a token that is not the lease’s any more stays a lost lease', async () => {
    const [hana, kenji] = [await clientOf('hana'), await clientOf('kenji')];
    const task = await kenji.requestTask({ agent_id: 'kenji', capabilities: ['*'] });
    const [id, token] = [task?.task_id ?? '', task?.lease.token ?? ''];
    await operator.unlock(id);
    await hana.requestTask({ agent_id: 'hana', capabilities: ['*'] });
    await expect(call(kenji, id, token)).rejects.toMatchObject({ code: 'lease_lost' });
  });

  test('may be done by an operator with the token of the lease', async () => {
    const { token: secret } = await operator.createToken({ agent_id: null });
    const task = await operator.requestTask({ agent_id: 'hana', capabilities: ['*'] });
    const client = createClient({ url: served.url, token: secret });
    await call(client, task?.task_id ?? '', task?.lease.token ?? '');
  });
});
