// What the page reads and calls, in the types of the API itself. Parts that a server may not offer are optional:
// the page shows them where they are.

import type { Client } from '../../client/client.ts';
import type { FlowAnswer, LeaseBar, LeasesAnswer } from '../../doors/schema/activity.ts';
import type { AgentAnswer } from '../../doors/schema/agents.ts';
import type { Card as CardAnswer, CardsAnswer } from '../../doors/schema/cards.ts';
import type { Event } from '../../doors/schema/events.ts';
import type { QueueAnswer } from '../../doors/schema/queue.ts';
import type { SessionAnswer } from '../../doors/schema/session.ts';
import type { ConfigAnswer, FlagsAnswer } from '../../doors/schema/settings.ts';
import type { AttemptView, TaskDetailAnswer } from '../../doors/schema/task.ts';
import type { WhyAnswer } from '../../doors/schema/why.ts';

export type {
  ConfigAnswer as Config,
  Event,
  FlowAnswer as Flow,
  LeaseBar,
  LeasesAnswer,
  WhyAnswer as Why,
};
export type Flags = FlagsAnswer & Readonly<Record<string, unknown>>;

export interface Usage {
  readonly model?: string | null;
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cost_usd?: number | null;
  readonly turns?: number | null;
}

export interface Question {
  readonly question_id: string;
  readonly question: string;
  readonly asked_at: string;
}

export type Card = CardAnswer & { readonly question?: Question | null };
export type Cards = Omit<CardsAnswer, 'cards'> & { readonly cards: readonly Card[] };
export type Attempt = AttemptView & { readonly usage?: Usage | null };
export type Detail = Omit<TaskDetailAnswer, 'earlier_attempts' | 'history'> & {
  readonly history: readonly Event[];
  readonly earlier_attempts: readonly Attempt[];
  readonly usage?: Usage | null;
  readonly question?: Question | null;
};
export type Agent = AgentAnswer & { readonly cost_today_usd?: number | null };
export type Queue = QueueAnswer & {
  readonly cost?: {
    readonly today_usd: number;
    readonly limit_usd?: number | null;
    readonly by_model?: readonly { readonly model: string; readonly cost_usd: number }[];
  } | null;
};
export type Session = SessionAnswer;
export type Feature = SessionAnswer['features'][number];

export interface LogPage {
  readonly lines?: readonly { readonly at?: string; readonly text: string }[];
  readonly text?: string;
}

type Verbs = Pick<
  Client,
  'why' | 'requeue' | 'priority' | 'unlock' | 'cancel' | 'config' | 'agents'
>;

/** The calls of the page: those of the typed client, and those that only a page needs. */
export interface Api extends Omit<Verbs, 'agents'> {
  session(): Promise<Session>;
  cards(
    which?: { readonly ids: readonly string[] } | { readonly ready: 'only' | 'without' },
  ): Promise<Cards>;
  agents(): Promise<{ readonly agents: readonly Agent[] }>;
  queue(): Promise<Queue>;
  flags(): Promise<Flags>;
  putFlag(name: string, value: boolean): Promise<Flags>;
  task(taskId: string): Promise<Detail>;
  leases(since: Date): Promise<LeasesAnswer>;
  flow(since: Date, stepSeconds: number): Promise<FlowAnswer>;
  answer(taskId: string, questionId: string, answer: string): Promise<unknown>;
  budget(taskId: string, costUsd: number): Promise<unknown>;
  retryLedger(): Promise<unknown>;
  addIssue(issue: {
    readonly title: string;
    readonly body: string;
    readonly labels: readonly string[];
  }): Promise<{ readonly number?: number }>;
  editIssue(
    number: number,
    change: { readonly body?: string; readonly state?: 'open' | 'closed' },
  ): Promise<unknown>;
  log(taskId: string): Promise<LogPage>;
  events(lastEventId: number, signal: AbortSignal): Promise<ReadableStream<BufferSource>>;
}
