// The names alone: the command line checks them without loading the presets.

export const PRESET_NAMES = ['claude', 'codex', 'gemini', 'copilot', 'opencode', 'aider'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];
