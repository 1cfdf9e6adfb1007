// The same backlog on a GitHub of its own: the double that Banto's tests run against. It is part of a clone, not of
// the package, and so it is loaded by its address, and only where it is there.

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BantoError } from '../core/errors.ts';
import { ISSUES } from './backlog.ts';
import type { Stage } from './stage.ts';

const REPOSITORY = 'octo/shop';
const DOUBLE = new URL('../../github-double/double.ts', import.meta.url);

/** What the demo needs of it. */
interface Double {
  readonly url: string;
  readonly token: string;
  readonly webhooks: { pointTo(target: { url: string; secret: string }): void };
  as(login: string): {
    openIssue(
      repository: string,
      issue: { title: string; body: string; labels: readonly string[] },
    ): {
      readonly number: number;
    };
    openPull(
      repository: string,
      pull: { title: string; body: string; head: string },
    ): { readonly number: number };
    close(repository: string, number: number): unknown;
    merge(repository: string, number: number): unknown;
  };
  setRole(repository: string, login: string, role: 'write'): void;
  close(): Promise<void>;
}

async function startDouble(): Promise<Double> {
  if (!existsSync(fileURLToPath(DOUBLE))) {
    throw new BantoError(
      'misconfigured',
      "banto demo --github runs in a clone of Banto's repository only: the GitHub it plays on is not part of the package. Without a clone, use banto demo.",
    );
  }
  const { startGithubDouble } = (await import(DOUBLE.href)) as {
    startGithubDouble(options: { repositories: readonly string[] }): Promise<Double>;
  };
  return startGithubDouble({ repositories: [REPOSITORY] });
}

export async function openGithubStage(): Promise<Stage> {
  const github = await startDouble();
  github.setRole(REPOSITORY, 'ann', 'write');
  const person = github.as('ann');
  const titles = new Map<number, string>();
  for (const { title, body, labels, waitsFor } of ISSUES) {
    const text = waitsFor === undefined ? body : `Blocked by #${waitsFor}\n\n${body}`;
    titles.set(person.openIssue(REPOSITORY, { title, body: text, labels }).number, title);
  }
  const secret = randomBytes(16).toString('hex');
  const pulls = new Map<number, number>();
  return {
    titles,
    forge: {
      kind: 'github',
      repositories: [REPOSITORY],
      apiUrl: github.url,
      auth: { kind: 'token', token: github.token },
      webhookSecret: secret,
      reviewPushes: false,
      trustedOnly: false,
      // Nobody but the demo is on this GitHub.
      writes: { perMinute: 80, burst: 60 },
    },
    async open({ title, body, labels }) {
      titles.set(person.openIssue(REPOSITORY, { title, body, labels }).number, title);
    },
    async close(number) {
      const pull = pulls.get(number);
      // Merging closes the issue that the request says it closes.
      if (pull === undefined) person.close(REPOSITORY, number);
      else person.merge(REPOSITORY, pull);
    },
    async openPull(agentId, issue, branch) {
      const before = pulls.get(issue);
      if (before !== undefined) return before;
      const title = titles.get(issue) ?? branch;
      const body = `Closes #${issue}`;
      const { number } = github.as(agentId).openPull(REPOSITORY, { title, body, head: branch });
      pulls.set(issue, number);
      return number;
    },
    opened: (url) => github.webhooks.pointTo({ url: `${url}/api/v1/webhooks/github`, secret }),
    stop: () => github.close(),
  };
}
