// Why a task is, or is not, offered: each rule with its outcome, in the order they apply.

import { type Because, because } from '../because.ts';
import { explainWish, type WishProblem, wishOf } from '../plan/branch-wish.ts';
import { priorityName } from '../priority.ts';
import type { TaskDetail } from '../store.ts';
import type { Task } from '../task.ts';
import type { Seeker } from '../ticket.ts';
import { type Bucket, matchCount, REVIEW_CAPABILITY } from './match.ts';

export interface Rule extends Because {
  readonly rule: string;
  readonly ok: boolean;
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
  /** The rules that it is not offered for, most telling first; none: it is offered. */
  readonly decisive: readonly string[];
  readonly rules: readonly Rule[];
  readonly rivals: Rivals | null;
  /** The earliest instant at which it can be offered, where that is known. */
  readonly earliestAt: number | null;
}

function stateRule({ task }: TaskDetail): Rule {
  const { state, reason, lease } = task;
  const why = reason === null ? '' : `: ${explainReason(reason)}`;
  const holder = lease === null ? '' : ` by ${lease.agentId}`;
  return {
    rule: 'state',
    ok: state === 'ready',
    ...because('state', `The task is ${state}${holder}${why}.`, {
      state,
      agent: lease?.agentId ?? null,
      reason,
    }),
  };
}

/** Reasons are words for programs, perhaps with a detail; these are the sentences for people. */
export const REASONS: Readonly<Record<string, string | ((detail: string) => string)>> = {
  no_deliverables: 'the body has no deliverables section with content',
  excluded_label: (detail) => `the label ${detail} excludes it`,
  blocked_by: (detail) => `it waits for ${detail}`,
  no_pull_request: 'no pull request is linked yet',
  in_progress: 'the issue says in-progress, but no lease of this Banto explains it',
  needs_review: 'the issue awaits review, so there is nothing to implement',
  approved: 'the issue is approved, so there is nothing to implement',
  malformed: (detail) => `the issue cannot be read: ${detail}`,
  refused: (detail) => `the forge refused to write the branch or labels (${detail})`,
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

export function explainReason(reason: string): string {
  const [word = '', ...rest] = reason.split(':');
  // The last words of an agent stand as they are.
  const sentence = (Object.hasOwn(REASONS, word) ? REASONS[word] : undefined) ?? reason;
  return typeof sentence === 'string' ? sentence : sentence(rest.join(':'));
}

function placeInLine({ priority, attempts }: Task): Because {
  const name = priorityName(priority);
  const attempt = attempts + 1;
  return because('priority', `Priority ${name} (${priority}); attempt ${attempt}.`, {
    name,
    priority,
    attempt,
  });
}

function capabilityRule(detail: TaskDetail, seeker: Seeker): Rule {
  const { kind, authors } = detail.task;
  const agent = seeker.agentId;
  const offers = seeker.capabilities.join(', ');
  const has = offers || 'nothing';
  if (kind === 'review') {
    if (authors.includes(agent)) {
      const sentence = `${agent} wrote the change and may not review it.`;
      return { rule: 'not_own_change', ok: false, ...because('own_change', sentence, { agent }) };
    }
    const ok = seeker.capabilities.some((name) => name === REVIEW_CAPABILITY || name === '*');
    const sentence = `A review needs the capability review; ${agent} offers ${has}.`;
    return {
      rule: 'capabilities',
      ok,
      ...because('review_capability', sentence, { agent, offers }),
    };
  }
  const matching = detail.matchLabels.filter((label) => seeker.capabilities.includes(label));
  const takesAll = seeker.capabilities.includes('*');
  const ok = matching.length > 0 || takesAll;
  const none = takesAll ? '* matches everything' : 'none matches';
  const count = matching.length === 0 ? none : `${matching.join(', ')} matches`;
  const labels = detail.matchLabels.join(', ');
  if (detail.matchLabels.length === 0) {
    const sentence = `The issue has no labels, so that only an agent that offers * may take it; ${agent} offers ${has}.`;
    return { rule: 'capabilities', ok, ...because('no_labels', sentence, { agent, offers }) };
  }
  const sentence = `The issue's labels are ${labels}; ${agent} offers ${has}; ${count}.`;
  const values = { labels, agent, offers, matching: matching.join(', ') || (takesAll ? '*' : '') };
  return { rule: 'capabilities', ok, ...because('labels', sentence, values) };
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
  const agent = seeker.agentId;
  const rules: Rule[] = [];
  if (task.onlyAgent !== null && task.onlyAgent !== agent) {
    const sentence = `It is offered to its author ${task.onlyAgent} first.`;
    const why = because('author_first', sentence, { author: task.onlyAgent });
    rules.push({ rule: 'author_first', ok: false, ...why });
  } else if (task.onlyAgent === null) {
    rules.push(capabilityRule(detail, seeker));
  }
  rules.push({ rule: 'agent_free', ok: holds.length === 0, ...holding() });
  return rules;

  function holding(): Because {
    const held = holds.join(', ');
    if (held !== '') {
      return because('agent_holds', `${agent} still holds ${held}.`, { agent, tasks: held });
    }
    return task.lease?.agentId === agent
      ? because('agent_holds_this', `${agent} holds no other task.`, { agent })
      : because('agent_free', `${agent} holds no task.`, { agent });
  }
}

/** It never keeps a task back: where a wish is not followed, another name is. */
function branchRule({ task, issue }: TaskDetail, problem: WishProblem | null): Rule[] {
  const wish = wishOf(issue);
  if (wish === null || task.kind !== 'implement') return [];
  const why =
    task.branch === wish
      ? because('branch', `The branch is ${wish}, as the issue asks.`, { branch: wish })
      : explainWish(wish, problem ?? 'refused', task.branch);
  return [{ rule: 'branch', ok: true, ...why }];
}

function decisiveRules(rules: readonly Rule[]): Rule[] {
  const broken = rules.filter((rule) => !rule.ok);
  // That it is held is true; that it stays held for ever is what somebody has to know.
  return broken.filter((rule, index) => index === 0 || rule.rule === 'dependencies');
}

function summarize(
  decisive: readonly Rule[],
  rivals: Rivals | null,
  seeker: Seeker | null,
): string {
  if (decisive.length > 0) return decisive.map(({ detail }) => detail).join(' ');
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
  /** Null: nothing is wrong with them. */
  readonly dependencies: { readonly ok: boolean; readonly because: Because | null };
  /** Why nothing more is handed out today. */
  readonly budget?: Because | null;
}

const NO_TROUBLE: Trouble = { wish: null, dependencies: { ok: true, because: null } };

export function explain(
  detail: TaskDetail,
  agent: { seeker: Seeker; holds: readonly string[] } | null,
  rivals: Rivals | null,
  /** Why hand-out is paused; null: it is not. */
  paused: Because | null,
  { wish, dependencies, budget = null }: Trouble = NO_TROUBLE,
): Why {
  const { task } = detail;
  const rules: Rule[] = [
    stateRule(detail),
    {
      rule: 'maintenance',
      ok: paused === null,
      ...(paused ?? because('not_paused', 'Hand-out is not paused.')),
    },
    { rule: 'priority', ok: true, ...placeInLine(task) },
  ];
  if (budget !== null) rules.push({ rule: 'budget', ok: false, ...budget });
  rules.push(...branchRule(detail, wish));
  if (dependencies.because !== null) {
    rules.push({ rule: 'dependencies', ok: dependencies.ok, ...dependencies.because });
  }
  if (agent !== null) rules.push(...agentRules(detail, agent.seeker, agent.holds));
  const decisive = decisiveRules(rules);
  const suits = agent === null || matchCount(agent.seeker, bucketOf(detail)) !== null;
  return {
    taskId: task.id,
    offered: decisive.length === 0 && suits,
    summary: summarize(decisive, rivals, agent?.seeker ?? null),
    decisive: decisive.map(({ rule }) => rule),
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
