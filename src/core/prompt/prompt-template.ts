// A prompt is a Markdown text with {{variables}}. Every variable is known by name, so that a typing error stops the
// start and not the work of an agent in the night.

import { BantoError } from '../errors.ts';
import { TASK_KINDS, type TaskKind } from '../task.ts';

/** Plain words: names and numbers that Banto made or checked. */
const WORDS = [
  'repository',
  'number',
  'task_id',
  'kind',
  'attempt',
  'branch',
  'pull_request',
  'workplace',
] as const;
/** Text by others, always between marks. What a template leaves out is added at its end. */
const QUOTED = ['issue', 'review_comments', 'questions', 'handoff'] as const;

const PROMPT_VARIABLES = [...WORDS, ...QUOTED];
type PromptVariable = (typeof PROMPT_VARIABLES)[number];

/** Text and variables in turn. */
export type Template = readonly (string | { readonly variable: PromptVariable })[];
export type Templates = Readonly<Record<TaskKind, Template>>;

const TAG = /\{\{([^{}]*)\}\}/g;

function isVariable(name: string): name is PromptVariable {
  return (PROMPT_VARIABLES as readonly string[]).includes(name);
}

function isQuoted(name: PromptVariable): boolean {
  return (QUOTED as readonly string[]).includes(name);
}

/** `source` names the file in the sentence of an error. */
export function parseTemplate(text: string, source: string): Template {
  const known = PROMPT_VARIABLES.map((name) => `{{${name}}}`).join(', ');
  const refuse = (problem: string) =>
    new BantoError('misconfigured', `${source}: ${problem} The variables are ${known}.`);
  if (text.trim() === '') throw refuse('the prompt is empty; write one, or remove the file.');
  const template: (string | { variable: PromptVariable })[] = [];
  const add = (plain: string) => {
    if (/\{\{|\}\}/.test(plain)) {
      throw refuse('a "{{" or "}}" stands alone; a variable is written as {{name}}.');
    }
    if (plain !== '') template.push(plain);
  };
  let end = 0;
  for (const match of text.matchAll(TAG)) {
    const name = (match[1] ?? '').trim();
    if (!isVariable(name)) throw refuse(`{{${name.slice(0, 50)}}} is no variable of a prompt.`);
    add(text.slice(end, match.index));
    template.push({ variable: name });
    end = match.index + match[0].length;
  }
  add(text.slice(end));
  return template;
}

/** One pass: what a value holds is never read as a variable. A quotation that is empty leaves no gap. */
export function fillTemplate(
  template: Template,
  values: Readonly<Record<PromptVariable, string>>,
): string {
  let filled = '';
  let gap = false;
  const named = new Set<string>();
  for (const part of template) {
    if (typeof part !== 'string') named.add(part.variable);
    const text = typeof part === 'string' ? part : values[part.variable];
    if (text === '' && typeof part !== 'string' && isQuoted(part.variable)) {
      gap = true;
      continue;
    }
    filled = gap ? `${filled.trimEnd()}\n\n${text.trimStart()}` : filled + text;
    gap = false;
  }
  const missing = QUOTED.filter((name) => !named.has(name)).map((name) => values[name]);
  return [filled.trim(), ...missing].filter((text) => text !== '').join('\n\n');
}

/** For whoever runs a broker without files. */
const BARE = 'Do the {{kind}} of issue #{{number}} on the branch {{branch}}{{pull_request}}.';

export function bareTemplates(): Templates {
  const template = parseTemplate(BARE, 'the bare prompt');
  return Object.fromEntries(TASK_KINDS.map((kind) => [kind, template])) as Record<
    TaskKind,
    Template
  >;
}
