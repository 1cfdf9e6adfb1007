// Who may import whom. A line of code should know its room; this table is the wall.

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '..', 'src');

/** Room → the rooms it may use. A file belongs to the longest room that begins its path. */
const MAY_USE: Record<string, readonly string[]> = {
  'main.ts': ['node-version.ts', 'command-line.ts'],
  'node-version.ts': [],
  'git-command.ts': [],
  'data-folder.ts': [],
  // The two that compose: they may use every room.
  'command-line.ts': [
    'serve.ts',
    'doctor.ts',
    'init.ts',
    'open-setup.ts',
    'open-issues.ts',
    'open-keys.ts',
    'open-work.ts',
    'smoke.ts',
    'config.ts',
    'telemetry.ts',
    'broker',
    'client',
    'core',
    'demo',
    'doors',
    'forge',
  ],
  'doctor.ts': [
    'config.ts',
    'core',
    'client',
    'doors/cli',
    'forge',
    'serve.ts',
    'open-redis.ts',
    'store',
    'telemetry.ts',
    'node-version.ts',
    'git-command.ts',
  ],
  'open-issues.ts': ['config.ts', 'config', 'client', 'core', 'doors', 'forge/local'],
  'open-setup.ts': ['config.ts', 'config', 'setup'],
  setup: ['core'],
  'init.ts': ['config.ts', 'config', 'core', 'doors/cli', 'forge/local'],
  'serve.ts': [
    'config.ts',
    'telemetry.ts',
    'telemetry',
    'open-redis.ts',
    'prompts',
    'broker',
    'store',
    'forge',
    'doors/http',
    'doors/mcp',
    'core',
    'notify',
  ],
  'open-redis.ts': ['config.ts', 'telemetry.ts', 'store/redis', 'forge', 'core'],
  'open-keys.ts': ['config.ts', 'open-redis.ts', 'core', 'store/redis'],
  'open-work.ts': ['config.ts', 'client', 'core', 'doors/cli', 'worker'],
  'smoke.ts': ['client', 'config.ts', 'core', 'doors/cli', 'open-work.ts', 'worker'],
  'config.ts': ['core', 'config'],
  config: ['core', 'config.ts'],
  'telemetry.ts': ['core', 'broker', 'telemetry'],
  telemetry: ['core'],
  notify: ['core'],
  prompts: ['core'],
  core: [],
  broker: ['core'],
  // The named verbs on top of what every store provides.
  'store/verbs.ts': ['core'],
  'store/memory': ['core', 'store/verbs.ts'],
  'store/sqlite': ['core', 'store/memory', 'data-folder.ts'],
  'store/redis': ['core', 'store/verbs.ts'],
  'forge/local': ['core', 'git-command.ts', 'data-folder.ts'],
  'forge/github': ['core'],
  'doors/schema': ['core'],
  'doors/views': ['core', 'broker', 'doors/schema'],
  'doors/http': ['core', 'broker', 'client', 'doors/schema', 'doors/views', 'telemetry.ts'],
  'doors/mcp': ['core', 'client', 'doors/schema'],
  'doors/cli': ['core', 'client', 'config.ts', 'doors/schema', 'setup', 'worker'],
  client: ['core', 'doors/schema'],
  worker: ['client', 'core', 'doors/schema'],
  demo: ['client', 'config.ts', 'core', 'doors/schema', 'git-command.ts'],
  // What runs in a browser: the shapes of the API, and nothing of the server.
  dashboard: ['client', 'doors/schema'],
};

/** Each npm package has one room. */
const PACKAGE_ROOMS: Record<string, readonly string[]> = {
  fastify: ['doors/http'],
  '@fastify/swagger': ['doors/http'],
  '@fastify/swagger-ui': ['doors/http'],
  '@fastify/type-provider-typebox': ['doors/http'],
  typebox: ['doors/schema', 'doors/http', 'doors/mcp', 'config', 'config.ts'],
  '@modelcontextprotocol/server': ['doors/mcp'],
  '@modelcontextprotocol/node': ['doors/mcp'],
  ioredis: ['store/redis'],
  pino: ['telemetry.ts', 'telemetry'],
  'pino-pretty': ['telemetry.ts'],
  'prom-client': ['telemetry'],
  '@opentelemetry/api': ['telemetry'],
  '@opentelemetry/sdk-trace-base': ['telemetry'],
  '@opentelemetry/exporter-trace-otlp-http': ['telemetry'],
  '@opentelemetry/resources': ['telemetry'],
  commander: ['doors/cli'],
  'jsonc-parser': ['setup'],
  yaml: ['forge/local'],
  preact: ['dashboard'],
  '@preact/signals': ['dashboard'],
  uplot: ['dashboard'],
  marked: ['dashboard'],
  dompurify: ['dashboard'],
  '@octokit/core': ['forge/github'],
  '@octokit/auth-app': ['forge/github'],
  '@octokit/plugin-retry': ['forge/github'],
  '@octokit/plugin-throttling': ['forge/github'],
  '@octokit/request-error': ['forge/github'],
  '@octokit/webhooks': ['forge/github'],
  // Types only.
  '@octokit/openapi-types': ['forge/github'],
};

const NODE_FREE = ['core'];

const rooms = Object.keys(MAY_USE).sort((a, b) => b.length - a.length);

function roomOf(path: string): string | undefined {
  return rooms.find((room) => path === room || path.startsWith(`${room}/`));
}

interface Import {
  readonly file: string;
  readonly room: string | undefined;
  readonly target: string;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s+['"]([^'"]+)['"]/g,
  );
  return [...found].map((match) => ({
    file,
    room: roomOf(file),
    target: match[1] ?? match[2] ?? match[3] ?? '',
  }));
}

const files = globSync('**/*.{ts,tsx}', { cwd: SRC }).filter((file) => !file.endsWith('.test.ts'));
const imports = files.flatMap(importsOf);

function packageName(target: string): string {
  const parts = target.split('/');
  return target.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '');
}

describe('the rooms', () => {
  it('has a room for every file', () => {
    expect(files.filter((file) => roomOf(file) === undefined)).toEqual([]);
  });

  it('lets no room use a room that the table does not allow', () => {
    const wrong = imports
      .filter(({ target }) => target.startsWith('.'))
      .map(({ file, room, target }) => {
        const path = normalize(relative('.', join(dirname(file), target)));
        return { file, room, path, used: roomOf(path) };
      })
      .filter(({ room, used }) => {
        if (room === undefined || used === room) return false;
        const allowed = MAY_USE[room] ?? [];
        return (
          used === undefined ||
          !allowed.some((name) => used === name || used.startsWith(`${name}/`))
        );
      })
      .map(({ file, path }) => `${file} → ${path}`);
    expect(wrong).toEqual([]);
  });

  it('keeps every npm package in its room', () => {
    const wrong = imports
      .filter(({ target }) => !target.startsWith('.') && !target.startsWith('node:'))
      .filter(
        ({ room, target }) => !(PACKAGE_ROOMS[packageName(target)] ?? []).includes(room ?? ''),
      )
      .map(({ file, target }) => `${file} → ${target}`);
    expect(wrong).toEqual([]);
  });

  it('keeps the core pure: no await, no clock, no randomness, no input or output', () => {
    const impure = files
      .filter((file) => NODE_FREE.includes(roomOf(file) ?? ''))
      .filter((file) => {
        const code = readFileSync(join(SRC, file), 'utf8').replaceAll(
          /\/\*[\s\S]*?\*\/|\/\/.*/g,
          '',
        );
        return /\bawait\b|\bDate\.now\b|new Date\(\)|Math\.random|from 'node:|\bprocess\./.test(
          code,
        );
      });
    expect(impure).toEqual([]);
  });
});
