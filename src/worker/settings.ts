// Everything `banto work` was told, checked and with its defaults.

import type { Client } from '../client/client.ts';
import type { TaskKind } from '../core/task.ts';
import type { WorkEvent } from './events.ts';
import type { Preset } from './presets/preset.ts';
import type { Prices } from './usage.ts';

export const HOOKS = ['after_create', 'before_run', 'after_run', 'before_remove'] as const;
export type HookName = (typeof HOOKS)[number];

export interface WorkSettings {
  readonly agentId: string;
  readonly capabilities: readonly string[];
  readonly kinds: readonly TaskKind[] | null;
  readonly repositories: readonly string[] | null;
  readonly parallel: number;
  /** One task for each slot, then the end. */
  readonly once: boolean;
  readonly waitSeconds: number;
  /** Null: the server's. */
  readonly leaseSeconds: number | null;
  readonly preset: Preset;
  /** The program and the arguments that come before the preset's own. */
  readonly program: readonly [string, ...string[]];
  /** The person's own arguments for the tool. */
  readonly extra: readonly string[];
  readonly check: string | null;
  readonly checkRounds: number;
  /** Commit what the tool leaves uncommitted. */
  readonly commit: boolean;
  readonly graceSeconds: number;
  readonly stallSeconds: number;
  readonly timeoutSeconds: number;
  readonly keepFailed: number;
  readonly hooks: Readonly<Partial<Record<HookName, string>>>;
  readonly prices: Prices;
  /** The person's clone. */
  readonly repoDir: string;
  /** Worktrees, logs and what is remembered: below this folder. */
  readonly workDir: string;
  /** For the tool: where Banto is. */
  readonly url: string;
  /** Never shown in a log. */
  readonly secrets: readonly (string | null)[];
}

export interface Stops {
  /** No further task. */
  readonly asked: AbortSignal;
  /** Now, whatever runs. */
  readonly urgent: AbortSignal;
}

export interface WorkDeps {
  readonly client: Client;
  readonly tell: (event: WorkEvent) => void;
  readonly stops: Stops;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => number;
}
