// The tools Banto knows by name.

import { aider } from './aider.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import type { PresetName } from './names.ts';
import { opencode } from './opencode.ts';
import type { Preset } from './preset.ts';

export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  claude,
  codex,
  gemini,
  copilot,
  opencode,
  aider,
};
