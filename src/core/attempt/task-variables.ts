// The environment variables that `banto work` gives to tools and hooks, beside those that are settings. A
// `banto` command that they start must not take them for misspelt settings.

export const TASK_VARIABLES = [
  'BANTO_ATTEMPT',
  'BANTO_BASE',
  'BANTO_BRANCH',
  'BANTO_HOOK',
  'BANTO_ISSUE',
  'BANTO_KIND',
  'BANTO_PROMPT_FILE',
  'BANTO_REPOSITORY',
  'BANTO_WORKTREE',
] as const;
