// Issues and repositories that leave Banto's reach: their tasks end, nobody goes on working on them, and nothing is left
// to be written.

import { afterEach, describe, expect, it } from 'vitest';
import { type GithubWorld, makeGithubWorld, SHOP } from '../support/github/world.ts';

let w: GithubWorld;
afterEach(() => w.close());

/** Every delivery so far, once more: repeating them changes nothing. */
const tell = () => w.deliver([...w.github.webhooks.held]);
const heartbeat = (given: Awaited<ReturnType<GithubWorld['request']>>) =>
  w.broker.heartbeat({
    taskId: given?.task.id ?? '',
    token: given?.lease.token ?? '',
    progress: null,
  });

describe('an issue that becomes a discussion', () => {
  it.each([true, false])('ends its task, whoever has it (told: %s)', async (told) => {
    w = await makeGithubWorld();
    w.github.webhooks.hold();
    const numbers = [w.openIssue(), w.openIssue()];
    await w.runUntilIdle();
    const given = await w.request('a1');
    w.time.advance(5000);
    for (const number of numbers) w.ann.convert(SHOP, number);
    if (told) await tell();
    else await w.poll();
    expect(Object.values(await w.states())).toEqual(numbers.map(() => 'cancelled: issue_closed'));
    await expect(heartbeat(given)).rejects.toMatchObject({ code: 'lease_lost' });
    await w.converge();
    expect((await w.ledger(given?.task.number ?? 0)).shown).toEqual(['python']);
    expect(await w.violations()).toEqual([]);
  });
});

describe('a repository that is taken out of the installation', () => {
  async function asApp(): Promise<void> {
    w = await makeGithubWorld({ asApp: true });
    w.github.webhooks.hold();
  }

  it('ends its tasks, and begins again when it is given back', async () => {
    await asApp();
    const numbers = [w.openIssue(), w.openIssue()];
    await w.runUntilIdle();
    const given = await w.request('a1');
    w.github.installationRepositories('removed', SHOP);
    await tell();
    expect(Object.values(await w.states())).toEqual(numbers.map(() => 'cancelled: issue_closed'));
    await expect(heartbeat(given)).rejects.toMatchObject({ code: 'lease_lost' });
    expect(await w.request('a2')).toBeNull();
    await w.converge();
    w.github.installationRepositories('added', SHOP);
    await tell();
    expect(Object.values(await w.states())).toEqual(['ready', 'ready']);
    await w.runUntilIdle();
    await w.converge();
    expect((await w.request('a2'))?.ledger).toBe('written');
    expect(await w.violations()).toEqual([]);
  });

  it('is believed only when GitHub says so, too', async () => {
    await asApp();
    w.openIssue();
    await w.runUntilIdle();
    w.github.installationRepositories('removed', SHOP);
    const removed = w.github.webhooks.held.at(-1);
    w.github.installationRepositories('added', SHOP);
    await w.deliver(removed === undefined ? [] : [removed]);
    expect(Object.values(await w.states())).toEqual(['ready']);
  });
});
