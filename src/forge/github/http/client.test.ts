import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GithubDouble, startGithubDouble } from '../../../../github-double/double.ts';
import { ANSWERS, secondaryLimit } from '../../../../github-double/server/faults.ts';
import { UNPACED } from '../../../../test/support/github/forge.ts';
import { ForgeBusy } from '../../../core/forge.ts';
import { type Client, createClient } from './client.ts';
import { createRepositoryApi } from './repository-api.ts';

let github: GithubDouble;
let client: Client;
beforeEach(async () => {
  github = await startGithubDouble({ repositories: ['o/r'], limits: false });
  client = createClient({
    apiUrl: github.url,
    auth: { kind: 'token', token: github.token },
    now: github.clock.now,
    after: (ms, fn) => {
      const timer = setTimeout(fn, ms);
      return () => clearTimeout(timer);
    },
    pacing: UNPACED,
  });
});
afterEach(() => github.close());

const READ = 'GET /repos/{owner}/{repo}';
const where = { owner: 'o', repo: 'r' };

describe('a request', () => {
  it('that reads is repeated twice after a mishap of GitHub', async () => {
    github.faults.add({ kind: 'answer', answer: ANSWERS.badGateway }, { times: 2 });
    expect((await client.request(READ, where)).status).toBe(200);
    github.faults.add({ kind: 'answer', answer: ANSWERS.badGateway }, { times: 3 });
    await expect(client.request(READ, where)).rejects.toMatchObject({ status: 502 });
    expect(github.requests).toHaveLength(6);
  });

  it('is asked once where the answer is no mishap', async () => {
    const etag = String((await client.request(READ, where)).headers['etag']);
    expect(await client.ifChanged(READ, etag, where)).toBeNull();
    await expect(client.request(READ, { owner: 'o', repo: 'x' })).rejects.toMatchObject({
      status: 404,
    });
    expect(github.requests.map((one) => one.status)).toEqual([200, 304, 404]);
  });

  it('that reads and is told to wait is not repeated meanwhile', async () => {
    github.faults.add({ kind: 'answer', answer: secondaryLimit(30, 429) });
    await expect(client.request(READ, where)).rejects.toMatchObject({ retryAfterMs: 30_000 });
    await expect(client.request(READ, where)).rejects.toBeInstanceOf(ForgeBusy);
    expect(github.requests.map((one) => one.status)).toEqual([429]);
    expect(await client.budget()).toMatchObject({ limit: 5000 });
  });

  it('that writes is sent once, whatever comes back', async () => {
    github.faults.add({ kind: 'answer', answer: ANSWERS.badGateway });
    const label = { ...where, name: 'x' };
    await expect(client.request('POST /repos/{owner}/{repo}/labels', label)).rejects.toMatchObject({
      status: 502,
    });
    expect(github.requests).toHaveLength(1);
  });

  it('is not believed when its answer broke off', async () => {
    github.faults.add({ kind: 'truncated' });
    await expect(client.request(READ, where)).rejects.toThrow('not whole');
  });
});

describe('pages', () => {
  const listing = 'GET /repos/{owner}/{repo}/issues';

  it('that have not changed cost nothing, and a full last page is asked for again', async () => {
    const ann = github.as('ann');
    for (let count = 0; count < 200; count += 1) ann.openIssue('o/r', { title: `${count}` });
    const api = createRepositoryApi(client, 'o/r', github.clock.now);
    const memory = { kept: new Map(), trim: (item: object) => item, most: 10 };
    const read = async () => {
      let count = 0;
      const before = github.requests.length;
      for await (const page of api.pages<object>(listing, { direction: 'asc' }, memory)) {
        count += page.length;
      }
      return [count, github.requests.slice(before).map((one) => one.status)];
    };
    expect(await read()).toEqual([200, [200, 200]]);
    expect(await read()).toEqual([200, [304, 200]]);
    ann.openIssue('o/r', { title: 'more' });
    expect(await read()).toEqual([201, expect.arrayContaining([200])]);
    expect(await read()).toEqual([201, [304, 304, 304]]);
    expect(github.requests.at(-1)?.query).not.toContain('owner');
  });
});
