// What `banto work` was asked for; settings and defaults of the machine come on top.

import type { TaskKind } from '../../../core/task.ts';
import type { PresetName } from '../../../worker/presets/names.ts';
import type { SettingFlags } from '../options/setting-flags.ts';

export interface WorkRequest {
  readonly flags: SettingFlags;
  readonly agent: string | null;
  readonly capabilities: readonly string[];
  readonly kinds: readonly TaskKind[] | null;
  readonly repositories: readonly string[] | null;
  readonly parallel: number;
  readonly once: boolean;
  readonly waitSeconds: number;
  readonly leaseSeconds: number | null;
  readonly preset: PresetName | null;
  /** What stands behind `--`. */
  readonly command: readonly string[];
  readonly checkRounds: number;
  readonly commit: boolean;
  readonly graceSeconds: number;
  readonly stallSeconds: number;
  readonly timeoutSeconds: number;
  readonly keepFailed: number;
}
