// Deliveries: checked over their raw bytes, then taken as hints. They may be late, doubled, out of order or lost;
// what they say is compared with what was seen, and read again where that does not decide it.

import { Webhooks } from '@octokit/webhooks';
import type { ForgeWebhook } from '../../../core/forge.ts';
import type { RepositoryMirror } from '../issues/repository-mirror.ts';
import type { Branches } from '../ledger/branches.ts';
import type { Labels } from '../ledger/labels.ts';
import type { GithubPush } from '../pushes/pushes.ts';
import { isIssue, isItemNumber, isPull, isPush } from './delivery-shapes.ts';
import type { OwnChanges } from './own-changes.ts';

/** A repository as deliveries reach it. */
export interface DeliveryTarget {
  readonly mirror: RepositoryMirror;
  readonly labels: Labels;
  readonly ownChanges: Pick<OwnChanges, 'isOwn'>;
  readonly branches: Branches;
  /** Somebody wrote, changed or deleted a comment. */
  readonly commented: (number: number) => void;
  readonly push: (push: GithubPush) => void;
  /** Something may have changed: it is read soon. */
  readonly soon: () => void;
}

/** The fields of any delivery that are read; everything may be missing, or of another kind. */
interface Payload {
  readonly action?: unknown;
  readonly repository?: { readonly full_name?: unknown } | null;
  readonly issue?: unknown;
  readonly pull_request?: unknown;
  readonly label?: { readonly name?: unknown } | null;
  readonly changes?: { readonly name?: { readonly from?: unknown } | null } | null;
}

const LEFT = new Set(['deleted', 'transferred']);

/** Whatever is no text says nothing; an object may even refuse to become one. */
const word = (value: unknown): string => (typeof value === 'string' ? value : '');

function numberOf(item: unknown): number | null {
  const { number } = (item ?? {}) as { readonly number?: unknown };
  return isItemNumber(number) ? number : null;
}

const HANDLERS: Readonly<Record<string, (target: DeliveryTarget, payload: Payload) => void>> = {
  issues({ mirror, ownChanges }, { action: said, issue, label }) {
    const action = word(said);
    const number = numberOf(issue);
    if (number === null || ownChanges.isOwn(number, action, word(label?.name))) return;
    if (isIssue(issue) && !LEFT.has(action)) mirror.hint(issue);
    else mirror.hintGone(number);
  },
  issue_comment({ mirror, commented }, { issue }) {
    const number = numberOf(issue);
    if (number !== null) commented(number);
    if (isIssue(issue)) mirror.hint(issue);
  },
  pull_request({ mirror }, { pull_request }) {
    if (isPull(pull_request)) mirror.hintPull(pull_request);
  },
  pull_request_review({ mirror }, { pull_request }) {
    const number = numberOf(pull_request);
    if (number !== null) mirror.hintReview(number);
  },
  push(target, payload) {
    if (isPush(payload)) target.push(payload);
  },
  label({ labels, mirror }, { action, label, changes }) {
    const lost = action === 'deleted' ? label?.name : changes?.name?.from;
    if (action === 'created' || typeof lost !== 'string') return;
    labels.forget();
    mirror.hintLostLabel(lost);
  },
};

/** Deliveries about the App's installation, and pings, name no single repository: all are looked at again. */
const FOR_ALL = new Set(['installation', 'installation_repositories', 'ping']);
/** What may give or take a repository away; GitHub is asked before that is believed. */
const ACCESS = new Set(['installation', 'installation_repositories']);

export function createWebhook(
  secret: string,
  repositories: ReadonlyMap<string, DeliveryTarget>,
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
      const target = repositories.get(typeof name === 'string' ? name.toLowerCase() : '');
      const handle = Object.hasOwn(HANDLERS, event) ? HANDLERS[event] : undefined;
      if (target === undefined || handle === undefined) return;
      handle(target, told);
      target.soon();
    },
  };
}
