// What `banto setup` would do: files to write, or commands of the tool to run. Planned first, then done.

import { BantoError } from '../core/errors.ts';
import { type FileChange, openPlace } from './place.ts';
import { allCommands, failed, neededCommands, type Run } from './plugin-commands.ts';
import { type Asked, putFiles, takeFiles } from './tool-files.ts';
import {
  type FilesOfTool,
  type Scope,
  SETUP_TOOLS,
  type SetupTool,
  TOOLS,
  type ToolFacts,
} from './tools.ts';

export interface SetupAsked {
  readonly tool: SetupTool;
  /** Null: what is usual for the tool. */
  readonly scope: Scope | null;
  readonly remove: boolean;
  /** Only shown: no command of the tool is started, not even one that lists. */
  readonly print: boolean;
}

export interface SetupWorld {
  /** The folder of the project, and of the person. */
  readonly project: string;
  readonly home: string;
  /** The shipped folder with the plugin, and the text of the skill in it. */
  readonly plugin: string;
  readonly version: string;
  readonly skill: string;
  readonly isInstalled: (program: string) => boolean;
  readonly run: Run;
}

export type SetupStep = FileChange | { readonly what: 'run'; readonly command: readonly string[] };

export interface SetupPlan {
  readonly title: string;
  readonly scope: Scope;
  readonly folder: string;
  readonly steps: readonly SetupStep[];
  /** Sentences on what was left alone or is still to be done. */
  readonly notes: readonly string[];
  apply(): Promise<void>;
}

function isFiles(user: ToolFacts['user']): user is FilesOfTool {
  return 'server' in user;
}

/** A tool with a plugin takes it for the person, where it is installed; the others get project files. */
function usualScope({ tool }: SetupAsked, world: SetupWorld): Scope {
  return !isFiles(TOOLS[tool].user) && world.isInstalled(tool) ? 'user' : 'project';
}

function othersOf(tool: SetupTool, scope: Scope): FilesOfTool[] {
  return SETUP_TOOLS.filter((name) => name !== tool)
    .map((name) => TOOLS[name][scope])
    .filter(isFiles);
}

export async function planSetup(asked: SetupAsked, world: SetupWorld): Promise<SetupPlan> {
  const { tool, remove, print } = asked;
  const scope = asked.scope ?? usualScope(asked, world);
  const facts = TOOLS[tool];
  const notes: string[] = [];
  const files = facts[scope];
  const tell = remove ? [] : facts.notes[scope];
  if (!remove && !world.isInstalled('banto')) {
    notes.push(
      'The command `banto` is not on your PATH, and the tool starts `banto mcp`. Install it (npm install -g banto, or npm link in the clone).',
    );
  }
  if (isFiles(files)) {
    const folder = scope === 'project' ? world.project : world.home;
    const place = openPlace(folder, scope === 'project' ? 'inside' : 'anywhere');
    const others = othersOf(tool, scope);
    const given: Asked = {
      place,
      files,
      others,
      skill: world.skill,
      note: (sentence) => notes.push(sentence),
    };
    if (remove) takeFiles(given);
    else putFiles(given);
    const steps = place.changes();
    const apply = async () => place.write();
    return { title: facts.title, scope, folder, steps, notes: [...notes, ...tell], apply };
  }
  const plugin = {
    tool,
    commands: files,
    folder: world.plugin,
    version: world.version,
    run: world.run,
  };
  if (!print && !world.isInstalled(tool)) {
    throw new BantoError(
      'misconfigured',
      `${facts.title} is not installed: there is no \`${tool}\` on your PATH. Install it, or write project files with --project.`,
    );
  }
  const commands = print ? allCommands(plugin, remove) : await neededCommands(plugin, remove);
  return {
    title: facts.title,
    scope,
    folder: world.home,
    steps: commands.map((args) => ({ what: 'run', command: [tool, ...args] })),
    notes: [...notes, ...tell],
    async apply() {
      for (const args of commands) {
        const { code, output } = await world.run(tool, args);
        if (code !== 0) throw failed(tool, args, output);
      }
    },
  };
}
