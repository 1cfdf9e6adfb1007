// The optional rule that only issues of people with write access are handed out: those they wrote, and those they
// labelled after the text was last changed.

import { isLedgerLabel } from '../../core/ledger.ts';
import type { Place } from './place.ts';
import { createRecent } from './recent.ts';
import { hasStatus } from './refusals.ts';
import { type GithubIssue, instantOf, type Pull } from './shapes.ts';

export interface Trust {
  /** The reason to hold it back; null: it may be handed out. */
  holdOf(from: GithubIssue): Promise<string | null>;
  holdOfPull(pull: Pull): Promise<string | null>;
  forget(number: number): void;
}

interface LabelledEvent {
  readonly event: string;
  readonly created_at: string;
  readonly actor: { readonly login: string } | null;
  readonly label?: { readonly name?: string };
}

const UNTRUSTED = 'untrusted_author';
const REMEMBERED_MS = 600_000;
const PEOPLE_KEPT = 5000;
/** The others can have no write access: no need to ask. */
const MAY_WRITE = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);
const WRITING = new Set(['admin', 'maintain', 'write']);

const LAST_EDITED = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { issue(number: $number) { lastEditedAt } }
}`;

export function createTrust(place: Place, now: () => number): Trust {
  const permissions = createRecent<string, { readonly writes: boolean; readonly at: number }>(
    PEOPLE_KEPT,
  );
  const verdicts = new Map<number, { readonly key: string; readonly trusted: boolean }>();

  async function mayWrite(login: string): Promise<boolean> {
    const before = permissions.get(login);
    if (before !== undefined && now() - before.at < REMEMBERED_MS) return before.writes;
    const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
    const writes = await place
      .request<{ permission: string; role_name?: string }>(route, { username: login })
      .then(
        ({ data }) => WRITING.has(data.permission) || WRITING.has(data.role_name ?? ''),
        (error: unknown) => {
          if (hasStatus(error, 404)) return false;
          throw error;
        },
      );
    permissions.set(login, { writes, at: now() });
    return writes;
  }

  async function lastEditedAt(number: number): Promise<number> {
    const [owner = '', repo = ''] = (await place.about()).full_name.split('/');
    interface Edited {
      readonly data?: { repository?: { issue?: { lastEditedAt: string | null } | null } | null };
    }
    const { data } = await place.graphql<Edited>(LAST_EDITED, { owner, repo, number });
    const at = data.data?.repository?.issue?.lastEditedAt;
    if (at === undefined) throw new Error(`GitHub does not say when #${number} was edited.`);
    return at === null ? 0 : instantOf(at);
  }

  /** A label by somebody with write access vouches for the text as it was then. */
  async function isVouchedFor(number: number): Promise<boolean> {
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/events';
    const labelled: LabelledEvent[] = [];
    for await (const page of place.pages<LabelledEvent>(route, { issue_number: number })) {
      // Banto's own labels vouch for nothing.
      labelled.push(
        ...page.filter(
          ({ event, label }) => event === 'labeled' && !isLedgerLabel(label?.name ?? ''),
        ),
      );
    }
    if (labelled.length === 0) return false;
    const editedAt = await lastEditedAt(number);
    const later = labelled.filter((event) => instantOf(event.created_at) > editedAt);
    for (const login of new Set(later.flatMap(({ actor }) => actor?.login ?? []))) {
      if (await mayWrite(login)) return true;
    }
    return false;
  }

  return {
    forget: (number) => void verdicts.delete(number),
    async holdOf(from) {
      if (from.state === 'closed') return null;
      const author = from.user?.login ?? null;
      const close = MAY_WRITE.has(from.author_association ?? 'NONE');
      if (author !== null && close && (await mayWrite(author))) return null;
      // Every change of an issue, a label or the text, is a new instant: then it is judged anew.
      const key = from.updated_at;
      const before = verdicts.get(from.number);
      const trusted = before?.key === key ? before.trusted : await isVouchedFor(from.number);
      verdicts.set(from.number, { key, trusted });
      return trusted ? null : UNTRUSTED;
    },
    async holdOfPull(pull) {
      if (pull.state !== 'open' || pull.author === null) return null;
      const close = MAY_WRITE.has(pull.association);
      return close && (await mayWrite(pull.author)) ? null : UNTRUSTED;
    },
  };
}
