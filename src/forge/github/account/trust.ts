// The optional rule that only issues of people with write access are handed out: those they wrote, and those they
// labelled after the text was last changed. Labels that Banto puts there vouch for nothing.

import { createHash } from 'node:crypto';

import { isLedgerLabel } from '../../../core/ledger.ts';
import type { RepositoryApi } from '../http/repository-api.ts';
import { type GithubIssue, instantOf, labelNames, type Pull } from '../shapes.ts';
import type { Identity } from './identity.ts';
import type { WriteAccess } from './write-access.ts';

export interface Trust {
  /** The reason to hold it back; null: it may be handed out. */
  holdOf(from: GithubIssue): Promise<string | null>;
  holdOfPull(pull: Pull): Promise<string | null>;
  /** Whether it may be taken for an issue's pull request by what it says itself. */
  mayLink(pull: Pull): Promise<boolean>;
  forget(number: number): void;
}

interface IssueEvent {
  readonly event: string;
  readonly created_at: string;
  readonly actor: { readonly login: string } | null;
  readonly label?: { readonly name?: string };
}

const UNTRUSTED = 'untrusted_author';

const LAST_EDITED = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { issue(number: $number) { lastEditedAt title body } }
}`;

interface Text {
  readonly title: string;
  readonly body: string;
}

function textHash({ title, body }: Text): string {
  return createHash('sha256')
    .update(JSON.stringify([title, body]))
    .digest('base64');
}

interface Verdict {
  /** A good verdict belongs to exactly this text. */
  readonly text: string;
  /** A bad one is looked at again whenever anything about the issue changes. */
  readonly seen: string;
  readonly trusted: boolean;
}

export function createTrust(
  api: RepositoryApi,
  me: Identity,
  { mayWrite, isWriter }: WriteAccess,
): Trust {
  const verdicts = new Map<number, Verdict>();

  interface Edited extends Text {
    readonly lastEditedAt: string | null;
  }

  /** The text as it is at this moment, and when it was last changed: asked together, so that they belong together. */
  async function textNow(number: number): Promise<Edited> {
    const [owner = '', repo = ''] = (await api.about()).full_name.split('/');
    interface Answer {
      readonly data?: { repository?: { issue?: Edited | null } | null };
    }
    const { data } = await api.graphql<Answer>(LAST_EDITED, { owner, repo, number });
    const found = data.data?.repository?.issue ?? null;
    if (found === null) throw new Error(`GitHub does not say when #${number} was edited.`);
    return found;
  }

  /** Who we are may be unknown: then no bot's label counts, since one of them may be us. */
  function isOurs(login: string): boolean {
    if (me.login === null) return login.endsWith('[bot]');
    return login.toLowerCase() === me.login.toLowerCase();
  }

  async function eventsOf(number: number): Promise<IssueEvent[]> {
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/events';
    const events: IssueEvent[] = [];
    for await (const page of api.pages<IssueEvent>(route, { issue_number: number })) {
      events.push(...page.filter(({ event }) => event === 'labeled' || event === 'renamed'));
    }
    return events;
  }

  /** A label by somebody with write access vouches for the text as it was then. */
  async function isVouchedFor(number: number, text: Text): Promise<boolean> {
    const events = await eventsOf(number);
    if (!events.some(({ event }) => event === 'labeled')) return false;
    await me.learn();
    const current = await textNow(number);
    // An old version: what was vouched for is another text, and comes by itself.
    if (textHash(current) !== textHash(text)) return false;
    // Renaming an issue is no edit to GitHub, but it changes what is handed out.
    const changes = events.filter(({ event }) => event === 'renamed');
    const editedAt = Math.max(
      current.lastEditedAt === null ? 0 : instantOf(current.lastEditedAt),
      ...changes.map((event) => instantOf(event.created_at)),
    );
    const later = events.filter(
      ({ event, label, created_at }) =>
        event === 'labeled' &&
        !isLedgerLabel(label?.name ?? '') &&
        instantOf(created_at) > editedAt,
    );
    for (const login of new Set(later.flatMap(({ actor }) => actor?.login ?? []))) {
      if (!isOurs(login) && (await mayWrite(login))) return true;
    }
    return false;
  }

  return {
    forget: (number) => void verdicts.delete(number),
    async holdOf(from) {
      if (from.state === 'closed') return null;
      if (await isWriter(from.user?.login ?? null, from.author_association ?? 'NONE')) return null;
      const words = { title: from.title, body: from.body ?? '' };
      const text = textHash(words);
      // GitHub dates to the second: the instant alone does not tell two versions apart.
      const seen = JSON.stringify([from.updated_at, labelNames(from.labels), text]);
      const before = verdicts.get(from.number);
      if (before?.trusted === true && before.text === text) return null;
      if (before?.trusted === false && before.seen === seen) return UNTRUSTED;
      const trusted = await isVouchedFor(from.number, words);
      verdicts.set(from.number, { text, seen, trusted });
      return trusted ? null : UNTRUSTED;
    },
    async holdOfPull(pull) {
      if (pull.state !== 'open' || pull.author === null) return null;
      return (await isWriter(pull.author, pull.association)) ? null : UNTRUSTED;
    },
    // Whoever can push a branch here may write here.
    mayLink: async (pull) => pull.ownBranch || isWriter(pull.author, pull.association),
  };
}
