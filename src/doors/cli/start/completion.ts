// banto completion: a script for the shell, made from the commands themselves, so that it never lags behind.

import { Argument, type Command } from 'commander';
import { examples } from '../options/options.ts';
import { print, type Shell } from '../shell.ts';

interface Word {
  readonly text: string;
  readonly about: string;
}

/** One place on the command line: what was typed so far, and what may come next. */
interface Place {
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly (Word & { readonly takesValue: boolean })[];
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

function placesOf(command: Command, path = ''): Place[] {
  const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
  const commands = command.commands.map((child) => ({
    text: child.name(),
    about: oneLine(child.summary()),
  }));
  const options = [...command.options, { long: '--help', description: 'print the help', flags: '' }]
    .filter((option) => typeof option.long === 'string')
    .map((option) => ({
      text: option.long ?? '',
      about: oneLine(option.description),
      takesValue: /[<[]/.test(option.flags),
    }));
  return [
    {
      path,
      commands: [...commands, ...choices.map((text) => ({ text, about: '' }))],
      options,
    },
    ...command.commands.flatMap((child) => placesOf(child, `${path} ${child.name()}`.trim())),
  ];
}

/** In single quotes nothing but a single quote means anything. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

const HEAD = '# Made by `banto completion`; make it again after an update.';

function cases(places: readonly Place[], of: (place: Place) => string): string {
  return places.map((place) => `    ${quote(place.path)}) ${of(place)} ;;`).join('\n');
}

function bash(places: readonly Place[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quote(path));
  return `${HEAD}
_banto() {
  local i step typed='' words=''
  for ((i = 1; i < COMP_CWORD; i++)); do
    step="\${typed:+$typed }\${COMP_WORDS[i]}"
    case "$step" in
      ${paths.join('|')}) typed="$step" ;;
    esac
  done
  case "$typed" in
${cases(places, ({ commands, options }) => `words=${quote([...commands, ...options].map(({ text }) => text).join(' '))}`)}
  esac
  # shellcheck disable=SC2207
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _banto banto
`;
}

function zshItem({ text, about }: Word): string {
  return quote(`${text.replaceAll(':', String.raw`\:`)}${about === '' ? '' : `:${about}`}`);
}

function zsh(places: readonly Place[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quote(path));
  return `#compdef banto
${HEAD}
_banto() {
  local i step typed=''
  local -a items
  for ((i = 2; i < CURRENT; i++)); do
    step="\${typed:+$typed }\${words[i]}"
    case "$step" in
      ${paths.join('|')}) typed="$step" ;;
    esac
  done
  case "$typed" in
${cases(places, ({ commands, options }) => `items=(${[...commands, ...options].map(zshItem).join(' ')})`)}
  esac
  _describe 'banto' items || _files
}
# Read by compinit from a folder of functions, or by eval.
if [ "$funcstack[1]" = '_banto' ]; then _banto; else compdef _banto banto; fi
`;
}

function fishCondition(path: string): string {
  const steps = path.split(' ').filter((step) => step !== '');
  if (steps.length === 0) return '__fish_use_subcommand';
  return steps.map((step) => `__fish_seen_subcommand_from ${step}`).join('; and ');
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options }) => {
    const here = fishCondition(path);
    const names = commands.map(({ text }) => text).join(' ');
    const none = path === '' ? here : `${here}; and not __fish_seen_subcommand_from ${names}`;
    const about = (text: string) => (text === '' ? '' : ` -d ${quote(text)}`);
    return [
      ...commands.map(
        (word) => `complete -c banto -f -n ${quote(none)} -a ${word.text}${about(word.about)}`,
      ),
      ...options.map(
        (word) =>
          `complete -c banto -n ${quote(here)} -l ${word.text.slice(2)}${word.takesValue ? ' -r' : ''}${about(word.about)}`,
      ),
    ];
  });
  return `${HEAD}\n${lines.join('\n')}\n`;
}

const SCRIPTS = { bash, zsh, fish } as const;
type ShellName = keyof typeof SCRIPTS;

export function completionScript(program: Command, name: ShellName): string {
  return SCRIPTS[name](placesOf(program));
}

export function addCompletion(program: Command, shell: Shell): void {
  const command = program
    .command('completion')
    .summary('complete commands with the Tab key')
    .description('Prints a script that makes a shell complete the commands and options of Banto.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .action((name: ShellName) => print(shell, completionScript(program, name).trimEnd()));
  examples(
    command,
    'banto completion bash >> ~/.bashrc',
    'banto completion zsh > ~/.zfunc/_banto',
    'banto completion fish > ~/.config/fish/completions/banto.fish',
  );
}
