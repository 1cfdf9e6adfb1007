// What the page reads and calls, in the types of the API itself.

import type { Client } from '../../client/client.ts';
import type { FlowAnswer, LeaseBar, LeasesAnswer } from '../../doors/schema/activity.ts';
import type { AgentAnswer } from '../../doors/schema/agents.ts';
import type { Card, CardsAnswer } from '../../doors/schema/cards.ts';
import type { Event } from '../../doors/schema/events.ts';
import type { LogAnswer } from '../../doors/schema/log.ts';
import type { QueueAnswer } from '../../doors/schema/queue.ts';
import type { SessionAnswer } from '../../doors/schema/session.ts';
import type { ConfigAnswer, FlagsAnswer } from '../../doors/schema/settings.ts';
import type { AttemptView, TaskDetailAnswer } from '../../doors/schema/task.ts';
import type { WhyAnswer } from '../../doors/schema/why.ts';

export type {
  AgentAnswer as Agent,
  AttemptView as Attempt,
  Card,
  CardsAnswer as Cards,
  ConfigAnswer as Config,
  Event,
  FlowAnswer as Flow,
  LeaseBar,
  LeasesAnswer,
  QueueAnswer as Queue,
  SessionAnswer as Session,
  WhyAnswer as Why,
};
export type Flags = FlagsAnswer & Readonly<Record<string, unknown>>;

export type Detail = Omit<TaskDetailAnswer, 'history'> & { readonly history: readonly Event[] };
export type Feature = SessionAnswer['features'][number];

type Verbs = Pick<
  Client,
  'why' | 'requeue' | 'priority' | 'unlock' | 'cancel' | 'config' | 'agents'
>;

/** The calls of the page: those of the typed client, and those that only a page needs. */
export interface Api extends Omit<Verbs, 'agents'> {
  session(): Promise<SessionAnswer>;
  cards(
    which?: { readonly ids: readonly string[] } | { readonly cursor: string },
  ): Promise<CardsAnswer>;
  agents(): Promise<{ readonly agents: readonly AgentAnswer[] }>;
  queue(): Promise<QueueAnswer>;
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
    change: {
      readonly body?: string;
      readonly state?: 'open' | 'closed';
      readonly remove_labels?: readonly string[];
    },
  ): Promise<unknown>;
  log(
    taskId: string,
    from: { readonly offset: number; readonly followSeconds: number },
    signal: AbortSignal,
  ): Promise<LogAnswer>;
  events(lastEventId: number, signal: AbortSignal): Promise<ReadableStream<BufferSource>>;
}
