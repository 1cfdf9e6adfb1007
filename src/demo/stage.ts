// Where the demo plays: what a person does there, and where Banto finds the work.

import type { Config } from '../config/shape.ts';
import type { DemoIssue } from './backlog.ts';

export interface Stage {
  readonly forge: Config['forge'];
  readonly titles: ReadonlyMap<number, string>;
  /** A person opens another issue. */
  open(issue: DemoIssue): Promise<void>;
  /** A person closes an issue. */
  close(number: number): Promise<void>;
  /** An agent offers its change; null: there are no pull requests here. */
  openPull(agentId: string, issue: number, branch: string): Promise<number | null>;
  /** The server is up at this address. */
  opened(url: string): void;
  stop(): Promise<void>;
}
