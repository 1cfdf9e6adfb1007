// Why a task is, or is not, offered: each rule with its outcome, in the order they apply.

import { explainWish, type WishProblem, wishOf } from '../plan/branch-wish.ts';
import { priorityName } from '../priority.ts';
import type { TaskDetail } from '../store.ts';
import type { Seeker } from '../ticket.ts';
import { type Bucket, matchCount, REVIEW_CAPABILITY } from './match.ts';

export interface Rule {
  readonly rule: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface Rivals {
  /** Ready tasks this agent would get first. */
  readonly ahead: number;
  readonly waitingAgents: number;
}

export interface Why {
  readonly taskId: string;
  readonly offered: boolean;
  readonly summary: string;
  readonly rules: readonly Rule[];
  readonly rivals: Rivals | null;
  /** The earliest instant at which it can be offered, where that is known. */
  readonly earliestAt: number | null;
}

function stateRule({ task }: TaskDetail): Rule {
  const because = task.reason === null ? '' : `: ${explainReason(task.reason)}`;
  const holder = task.lease === null ? '' : ` by ${task.lease.agentId}`;
  return {
    rule: 'state',
    ok: task.state === 'ready',
    detail: `The task is ${task.state}${holder}${because}.`,
  };
}

/** Reasons are words for programs; this is the sentence for people. */
export function explainReason(reason: string): string {
  const [word = '', ...rest] = reason.split(':');
  const detail = rest.join(':');
  const sentences: Record<string, string> = {
    no_deliverables: 'the body has no deliverables section with content',
    excluded_label: `the label ${detail} excludes it`,
    blocked_by: `it waits for ${detail}`,
    no_pull_request: 'no pull request is linked yet',
    in_progress: 'the issue says in-progress, but no lease of this Banto explains it',
    needs_review: 'the issue awaits review, so there is nothing to implement',
    approved: 'the issue is approved, so there is nothing to implement',
    malformed: `the issue cannot be read: ${detail}`,
    refused: `the forge refused to write the branch or labels (${detail})`,
    review_delay: 'people may review it first',
    retry: 'it failed and is tried again later',
    no_progress:
      'two attempts in a row left the same files; a person should look, and then requeue it',
    quota: 'an agent gave it back until its quota returns',
    budget: 'it used up what it may cost; an operator can give it more',
    requeued: 'an operator asked for a delay',
    listing: 'the backlog is still being read',
    issue_closed: 'its issue was closed',
    issue_replaced: 'its number belongs to another issue now',
    untrusted_author:
      'neither its author nor anybody who labelled it since the last edit has write access',
    approved_on_forge: 'people approved the pull request',
    changes_requested_on_forge: 'people asked for changes on the pull request',
    pull_merged: 'the pull request was merged',
    pull_closed: 'the pull request was closed',
    pull_linked: 'the pull request is reviewed with its issue',
    issue_gone: 'its issue was deleted or moved',
    expired: 'the last lease ran out and no attempt is left',
    too_many_review_rounds: 'reviews kept asking for changes',
  };
  // The last words of an agent stand as they are.
  return sentences[word] ?? reason;
}

function capabilityRule(detail: TaskDetail, seeker: Seeker): Rule {
  const { kind, authors } = detail.task;
  const has = seeker.capabilities.join(', ') || 'nothing';
  if (kind === 'review') {
    if (authors.includes(seeker.agentId)) {
      return {
        rule: 'not_own_change',
        ok: false,
        detail: `${seeker.agentId} wrote the change and may not review it.`,
      };
    }
    const ok = seeker.capabilities.some((name) => name === REVIEW_CAPABILITY || name === '*');
    return {
      rule: 'capabilities',
      ok,
      detail: `A review needs the capability review; ${seeker.agentId} offers ${has}.`,
    };
  }
  const matching = detail.matchLabels.filter((label) => seeker.capabilities.includes(label));
  const takesAll = seeker.capabilities.includes('*');
  const ok = matching.length > 0 || takesAll;
  const none = takesAll ? '* matches everything' : 'none matches';
  const count = matching.length === 0 ? none : `${matching.join(', ')} matches`;
  const sentence =
    detail.matchLabels.length === 0
      ? `The issue has no labels, so that only an agent that offers * may take it; ${seeker.agentId} offers ${has}.`
      : `The issue's labels are ${detail.matchLabels.join(', ')}; ${seeker.agentId} offers ${has}; ${count}.`;
  return { rule: 'capabilities', ok, detail: sentence };
}

export function bucketOf(detail: TaskDetail): Bucket {
  const { task } = detail;
  return {
    repository: task.repository,
    kind: task.kind,
    priority: task.priority,
    authors: task.authors,
    only: task.onlyAgent,
    labels: detail.matchLabels,
  };
}

function agentRules(detail: TaskDetail, seeker: Seeker, holds: readonly string[]): Rule[] {
  const { task } = detail;
  const rules: Rule[] = [];
  if (task.onlyAgent !== null && task.onlyAgent !== seeker.agentId) {
    rules.push({
      rule: 'author_first',
      ok: false,
      detail: `It is offered to its author ${task.onlyAgent} first.`,
    });
  } else if (task.onlyAgent === null) {
    rules.push(capabilityRule(detail, seeker));
  }
  rules.push({
    rule: 'agent_free',
    ok: holds.length === 0,
    detail:
      holds.length === 0
        ? `${seeker.agentId} holds no ${task.lease?.agentId === seeker.agentId ? 'other ' : ''}task.`
        : `${seeker.agentId} still holds ${holds.join(', ')}.`,
  });
  return rules;
}

/** It never keeps a task back: where a wish is not followed, another name is. */
function branchRule({ task, issue }: TaskDetail, problem: WishProblem | null): Rule[] {
  const wish = wishOf(issue);
  if (wish === null || task.kind !== 'implement') return [];
  const detail =
    task.branch === wish
      ? `The branch is ${task.branch}, as the issue asks.`
      : explainWish(wish, problem ?? 'refused', task.branch);
  return [{ rule: 'branch', ok: true, detail }];
}

function summarize(rules: readonly Rule[], rivals: Rivals | null, seeker: Seeker | null): string {
  const broken = rules.find((rule) => !rule.ok);
  // That it is held is true; that it stays held for ever is what somebody has to know.
  const circle = rules.find((rule) => rule.rule === 'dependencies' && !rule.ok);
  if (broken !== undefined) {
    return [broken, ...(circle === undefined || circle === broken ? [] : [circle])]
      .map(({ detail }) => detail)
      .join(' ');
  }
  const whom = seeker === null ? 'the next suitable agent' : seeker.agentId;
  if (rivals !== null && rivals.ahead > 0) {
    return `It is offered; ${whom} would get ${rivals.ahead} other task(s) first.`;
  }
  return `It is offered: ${whom} gets it at the next request.`;
}

/** What was found out beside the task itself. */
interface Trouble {
  /** Why the branch that the issue asks for is not used. */
  readonly wish: WishProblem | null;
  readonly dependencies: { readonly ok: boolean; readonly sentences: readonly string[] };
  /** Why nothing more is handed out today. */
  readonly budget?: string | null;
}

const NO_TROUBLE: Trouble = { wish: null, dependencies: { ok: true, sentences: [] } };

export function explain(
  detail: TaskDetail,
  agent: { seeker: Seeker; holds: readonly string[] } | null,
  rivals: Rivals | null,
  /** Why hand-out is paused; null: it is not. */
  paused: string | null,
  { wish, dependencies, budget = null }: Trouble = NO_TROUBLE,
): Why {
  const { task } = detail;
  const rules: Rule[] = [
    stateRule(detail),
    {
      rule: 'maintenance',
      ok: paused === null,
      detail: paused ?? 'Hand-out is not paused.',
    },
    {
      rule: 'priority',
      ok: true,
      detail: `Priority ${priorityName(task.priority)} (${task.priority}); attempt ${task.attempts + 1}.`,
    },
  ];
  if (budget !== null) rules.push({ rule: 'budget', ok: false, detail: budget });
  rules.push(...branchRule(detail, wish));
  if (dependencies.sentences.length > 0) {
    rules.push({
      rule: 'dependencies',
      ok: dependencies.ok,
      detail: dependencies.sentences.join(' '),
    });
  }
  if (agent !== null) rules.push(...agentRules(detail, agent.seeker, agent.holds));
  const offered = rules.every((rule) => rule.ok);
  const suits = agent === null || matchCount(agent.seeker, bucketOf(detail)) !== null;
  return {
    taskId: task.id,
    offered: offered && suits,
    summary: summarize(rules, rivals, agent?.seeker ?? null),
    rules,
    rivals,
    earliestAt: earliestAt(detail),
  };
}

function earliestAt({ task }: TaskDetail): number | null {
  if (task.state === 'ready') return task.opensAt ?? task.enqueuedAt;
  if (task.state === 'delayed') return task.readyAt;
  if (task.state === 'leased') return task.lease?.expiresAt ?? null;
  return null;
}
