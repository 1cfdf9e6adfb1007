// Deliveries: checked over their raw bytes, then taken as hints. They may be late, doubled, out of order or lost;
// what they say is compared with what is known, and read again where that does not decide it.

import { Webhooks } from '@octokit/webhooks';
import type { ForgeWebhook } from '../../core/forge.ts';
import type { Branches } from './branches.ts';
import type { Echoes } from './echoes.ts';
import type { Labels } from './labels.ts';
import type { GithubPush } from './pushes.ts';
import type { RepositoryMirror } from './repository-mirror.ts';
import type { GithubIssue, GithubPull } from './shapes.ts';

/** A repository as deliveries reach it. */
export interface Heard {
  readonly mirror: RepositoryMirror;
  readonly labels: Labels;
  readonly echoes: Pick<Echoes, 'isEcho'>;
  readonly branches: Branches;
  readonly push: (push: GithubPush) => void;
  /** Something may have changed: settle it soon. */
  readonly soon: () => void;
}

/** The fields of any delivery that are read; everything may be missing. */
interface Payload {
  readonly action?: string;
  readonly repository?: { readonly full_name?: unknown };
  readonly issue?: GithubIssue;
  readonly pull_request?: GithubPull;
  readonly label?: { readonly name?: unknown };
  readonly changes?: { readonly name?: { readonly from?: unknown } };
}

const LEFT = new Set(['deleted', 'transferred']);

/** Whatever is no text says nothing; an object may even refuse to become one. */
const word = (value: unknown): string => (typeof value === 'string' ? value : '');

function isItem(value: unknown): value is GithubIssue {
  const { number, updated_at, labels } = (value ?? {}) as Partial<GithubIssue>;
  return Number.isInteger(number) && typeof updated_at === 'string' && Array.isArray(labels);
}

function isPull(value: unknown): value is GithubPull {
  const { head, base } = (value ?? {}) as Partial<GithubPull>;
  return (
    isItem(value) && typeof head?.ref === 'string' && typeof base?.repo?.full_name === 'string'
  );
}

function isPush(value: unknown): value is GithubPush {
  const { ref, before, after } = (value ?? {}) as Partial<GithubPush>;
  return [ref, before, after].every((part) => typeof part === 'string');
}

const HANDLERS: Readonly<Record<string, (heard: Heard, payload: Payload) => void>> = {
  issues({ mirror, echoes }, { action: said, issue, label }) {
    const action = word(said);
    if (!isItem(issue) || echoes.isEcho(issue.number, action, word(label?.name))) return;
    if (LEFT.has(action)) mirror.hearGone(issue.number);
    else mirror.hear(issue);
  },
  issue_comment({ mirror }, { issue }) {
    if (isItem(issue)) mirror.hear(issue);
  },
  pull_request({ mirror }, { pull_request }) {
    if (isPull(pull_request)) mirror.hearPull(pull_request);
  },
  pull_request_review({ mirror }, { pull_request }) {
    if (isItem(pull_request)) mirror.hearReview(pull_request.number);
  },
  push(heard, payload) {
    if (isPush(payload)) heard.push(payload);
  },
  label({ labels, mirror }, { action, label, changes }) {
    const lost = action === 'deleted' ? label?.name : changes?.name?.from;
    if (action === 'created' || typeof lost !== 'string') return;
    labels.forget();
    mirror.hearLostLabel(lost);
  },
};

/** Deliveries about the App's installation, and pings, name no single repository: all are looked at again. */
const FOR_ALL = new Set(['installation', 'installation_repositories', 'ping']);
/** What may give or take a repository away; GitHub is asked before that is believed. */
const ACCESS = new Set(['installation', 'installation_repositories']);

export function createWebhook(
  secret: string,
  repositories: ReadonlyMap<string, Heard>,
): ForgeWebhook {
  const webhooks = new Webhooks({ secret });
  return {
    async verify(body, signature) {
      if (body.length === 0 || signature === '') return false;
      try {
        const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
        return await webhooks.verify(text, signature);
      } catch {
        // Not UTF-8: GitHub has not sent this.
        return false;
      }
    },
    receive(event, payload) {
      if (FOR_ALL.has(event)) {
        for (const { mirror, soon } of repositories.values()) {
          if (ACCESS.has(event)) mirror.doubtAccess();
          soon();
        }
        return;
      }
      const told = (payload ?? {}) as Payload;
      const name = told.repository?.full_name;
      const heard = repositories.get(typeof name === 'string' ? name.toLowerCase() : '');
      const handle = Object.hasOwn(HANDLERS, event) ? HANDLERS[event] : undefined;
      if (heard === undefined || handle === undefined) return;
      handle(heard, told);
      heard.soon();
    },
  };
}
