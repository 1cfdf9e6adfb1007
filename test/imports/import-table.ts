// Who may import whom. Paths under src/ are written without it; everything else from the top of the repository.
// A file belongs to the longest entry that begins its path.

type Table = Record<string, readonly string[]>;

/** The entries of one folder; `./x` is its own x. */
function inside(folder: string, entries: Table): Table {
  const full = (name: string) =>
    name.startsWith('.') ? `${folder}/${name.slice(2)}`.replace(/\/$/, '') : name;
  return Object.fromEntries(
    Object.entries(entries).map(([name, uses]) => [`${folder}/${name}`, uses.map(full)]),
  );
}

/** The words of core/ that everything else is said with. */
const NOUNS = [
  'because',
  'errors',
  'facts',
  'forge',
  'issue',
  'ledger',
  'priority',
  'settings',
  'store',
  'task',
  'ticket',
  'token',
  'usage',
].map((noun) => `core/${noun}.ts`);

/** Folder or file → what it may use, besides itself. */
export const MAY_USE: Table = {
  'main.ts': ['machine/node-version.ts', 'command-line.ts'],
  // The two that put everything together, each for its own.
  'command-line.ts': [
    'serve.ts',
    'broker',
    'client',
    'compose',
    'config',
    'core',
    'demo',
    'doors/cli',
    'doors/mcp',
    'doors/views',
    'forge/local',
    'telemetry',
  ],
  'serve.ts': [
    'broker',
    'compose/open-store.ts',
    'config',
    'core',
    'doors/http',
    'doors/mcp',
    'forge/github/github-forge.ts',
    'forge/local',
    'machine',
    'notify',
    'prompts',
    'store/memory',
    'telemetry',
  ],
  ...inside('compose', {
    'check-forge.ts': [
      'config',
      'core',
      'doors/cli',
      'forge/github/github-forge.ts',
      'forge/local',
    ],
    'check-server.ts': ['client', 'config', 'doors/cli'],
    'doctor.ts': [
      'config',
      'core',
      'doors/cli',
      'machine',
      'prompts',
      'store',
      'telemetry',
      './check-forge.ts',
      './check-server.ts',
      './open-redis.ts',
      './open-store.ts',
    ],
    'init.ts': ['config', 'core', 'doors/cli', 'forge/local'],
    'open-issues.ts': ['client', 'config', 'core', 'doors', 'forge/local'],
    'open-keys.ts': ['config', 'core', 'store/redis', './open-redis.ts'],
    'open-redis.ts': ['config', 'core', 'forge/local', 'store/redis', 'telemetry'],
    'open-store.ts': ['config', 'core', 'store/sqlite', 'telemetry', './open-redis.ts'],
    'open-setup.ts': ['config', 'setup'],
    'open-work.ts': ['client', 'config', 'core', 'doors/cli', 'worker'],
    'smoke.ts': ['client', 'config', 'core', 'doors/cli', './open-work.ts'],
  }),
  machine: [],
  setup: ['core'],
  config: ['core'],
  telemetry: ['core'],
  notify: ['core'],
  prompts: ['core'],
  ...Object.fromEntries(NOUNS.map((noun) => [noun, [...NOUNS, 'core/attempt', 'core/pace']])),
  ...inside('core', {
    'base-store.ts': [...NOUNS, './decide'],
    attempt: [...NOUNS, './rows'],
    decide: [...NOUNS, './attempt', './pairing', './rows'],
    'issue-text': NOUNS,
    pace: NOUNS,
    pairing: [...NOUNS, './plan'],
    plan: [...NOUNS, './issue-text'],
    prompt: NOUNS,
    reporting: [...NOUNS, './attempt', './pairing'],
    rows: [...NOUNS, './attempt'],
    text: NOUNS,
  }),
  // The verbs on top, and what they are made of.
  broker: ['core', 'broker'],
  ...inside('broker', {
    backlog: ['core', './broker.ts', './context.ts', './mirror.ts'],
    'hand-out': ['core', './broker.ts', './context.ts', './outbox.ts'],
    lease: ['core', './broker.ts', './context.ts', './finish.ts', './loop.ts', './loops'],
    loops: ['core', './broker.ts', './context.ts', './loop.ts'],
    operate: ['core', './broker.ts', './context.ts', './finish.ts'],
    read: ['core', './backlog', './broker.ts', './context.ts', './finish.ts', './hand-out'],
    waiting: [
      'core',
      './claim.ts',
      './context.ts',
      './hand-out',
      './loop.ts',
      './loops',
      './outbox.ts',
    ],
  }),
  // The named verbs on top of what every store provides.
  'store/verbs.ts': ['core'],
  'store/memory': ['core', 'store/verbs.ts'],
  'store/sqlite': ['core', 'store/memory', 'machine'],
  ...inside('store/redis', {
    'redis-store.ts': ['core', 'store/verbs.ts', './'],
    'keys.ts': ['core'],
    'ttl.ts': ['core'],
    'parts.ts': ['./connection', './keys.ts', './rows', './ttl.ts'],
    connection: ['core', './keys.ts', './ttl.ts'],
    rows: ['core', './connection', './keys.ts', './ttl.ts'],
    display: ['core', './connection', './keys.ts', './parts.ts', './rows', './ttl.ts'],
    sweep: ['core', './display', './parts.ts', './rows', './ttl.ts'],
    instances: ['core', './connection', './parts.ts', './rows'],
    'keys-tool': ['core', './connection', './keys.ts', './rows', './ttl.ts'],
  }),
  ...inside('forge/local', {
    'local-forge.ts': ['core', './'],
    backlog: ['core', 'machine', './git', './issue-file'],
    git: ['core', 'machine', './issue-file'],
    'issue-file': ['core'],
  }),
  ...inside('forge/github', {
    'github-forge.ts': ['core', './'],
    'shapes.ts': ['core'],
    'bounded-map.ts': [],
    http: ['core', './shapes.ts'],
    account: ['core', './bounded-map.ts', './http', './shapes.ts'],
    pulls: ['core', './bounded-map.ts', './http', './shapes.ts'],
    issues: ['core', './account', './bounded-map.ts', './http', './pulls', './shapes.ts'],
    ledger: ['core', './account', './bounded-map.ts', './http', './shapes.ts'],
    pushes: ['core', './http', './issues', './ledger', './shapes.ts'],
    webhooks: ['core', './issues', './ledger', './pushes', './shapes.ts'],
  }),
  'doors/schema': ['core'],
  'doors/views': ['core', 'broker', 'doors/schema'],
  ...inside('doors/http', {
    'door.ts': ['broker', 'core', 'telemetry', './'],
    'settings.ts': [],
    'server.ts': ['core', './checks', './settings.ts'],
    checks: ['broker', 'core', 'doors/schema', './settings.ts'],
    openapi: ['core', 'doors/schema', './server.ts', './settings.ts'],
    page: ['core', './server.ts'],
    routes: [
      'broker',
      'client',
      'core',
      'doors/schema',
      'doors/views',
      'telemetry',
      './checks',
      './openapi',
      './server.ts',
      './settings.ts',
    ],
  }),
  'doors/mcp': ['core', 'client', 'doors/schema'],
  ...inside('doors/cli', {
    'program.ts': ['./'],
    // What commands get from outside; it names the types of what some of them need.
    'shell.ts': ['client', 'core', 'doors/schema', 'setup', 'worker', './'],
    terminal: ['core', './shell.ts'],
    options: ['client', 'core', './shell.ts'],
    agent: ['client', 'core', 'doors/schema', 'worker', './options', './shell.ts', './terminal'],
    backlog: ['core', 'doors/schema', './options', './shell.ts', './terminal'],
    operate: ['client', 'core', 'doors/schema', './options', './read', './shell.ts', './terminal'],
    read: ['client', 'core', 'doors/schema', './options', './shell.ts', './terminal'],
    start: ['config', 'setup', 'worker', './options', './shell.ts', './terminal'],
  }),
  client: ['core', 'doors/schema'],
  worker: ['client', 'core', 'doors/schema'],
  // The double is loaded by its address when it is there: it is part of a clone, not of the package.
  demo: ['client', 'config', 'core', 'doors/schema', 'machine', 'github-double'],
  // What runs in a browser: the shapes of the API, and nothing of the server.
  dashboard: ['client', 'doors/schema'],
  // A GitHub of its own: it knows nothing of Banto.
  'github-double': [],
};

/** npm package → the folders that may use it, nearly always one. */
export const PACKAGE_FOLDERS: Table = {
  fastify: ['doors/http'],
  '@fastify/swagger': ['doors/http'],
  '@fastify/swagger-ui': ['doors/http'],
  '@fastify/type-provider-typebox': ['doors/http'],
  typebox: ['doors/schema', 'doors/http', 'doors/mcp', 'config'],
  '@modelcontextprotocol/server': ['doors/mcp'],
  '@modelcontextprotocol/node': ['doors/mcp'],
  ioredis: ['store/redis'],
  pino: ['telemetry'],
  'pino-pretty': ['telemetry'],
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
  '@octokit/core': ['forge/github/http'],
  '@octokit/auth-app': ['forge/github/http'],
  '@octokit/plugin-retry': ['forge/github/http'],
  '@octokit/plugin-throttling': ['forge/github/http'],
  '@octokit/request-error': ['forge/github/http'],
  '@octokit/webhooks': ['forge/github/webhooks'],
  // Types only.
  '@octokit/openapi-types': ['forge/github/shapes.ts', 'github-double'],
  ajv: ['github-double'],
  'ajv-formats': ['github-double'],
};

/** What is read or run by its URL, and by whom. All but the build script is shipped with the package. */
export const FILES_BY_URL: Table = {
  'package.json': ['command-line.ts', 'serve.ts'],
  'banto.config.schema.json': ['compose/init.ts'],
  'review-verdict.schema.json': ['worker'],
  plugin: ['compose/open-setup.ts'],
  // The page: built files in the package, a build of its own in a clone.
  dashboard: ['doors/http/page'],
  'scripts/build-dashboard.ts': ['doors/http/page'],
};

/** Files that import an address they computed: `new URL('…', import.meta.url)`, which is checked as an import. */
export const IMPORT_BY_URL = ['demo/github-stage.ts'];

/** No await, clock, randomness, input or output. */
export const PURE = ['core'];
