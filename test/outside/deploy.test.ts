// No container engine is needed: the files are read and held against what they promise, and what the image would
// run is run by the test of the package.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../src/config/settings.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const settingNames = new Set(SETTINGS.map(({ name }) => name));

/** One instruction a line, its continuation lines joined, comments left out. */
function instructions(path: string): string[] {
  const joined = read(path)
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ');
  return joined.split('\n').filter((line) => line.trim() !== '');
}

describe.each(['Dockerfile', 'workers/python/Dockerfile'])('%s', (path) => {
  const lines = instructions(path);
  const last = lines.findLastIndex((line) => line.startsWith('FROM '));
  const stage = lines.slice(last);
  const withWord = (word: string) => stage.filter((line) => line.startsWith(`${word} `));

  it('starts from images with a version', () => {
    for (const line of lines.filter((one) => one.startsWith('FROM '))) {
      expect(line).toMatch(/^FROM \S+:\d\S*/);
      expect(line).not.toContain('latest');
    }
  });

  it('does not run as root', () => {
    expect(withWord('USER').at(-1)).toMatch(/^USER (?!root|0\b)/);
    expect(stage.findLastIndex((line) => line.startsWith('USER'))).toBeGreaterThan(
      stage.findLastIndex((line) => line.startsWith('RUN')),
    );
  });

  it('starts its program without a shell, so that signals reach it', () => {
    expect(withWord('ENTRYPOINT').at(-1)).toMatch(/^ENTRYPOINT \["/);
  });

  it('leaves no package lists behind and adds nothing from the network', () => {
    expect(lines.filter((line) => line.startsWith('ADD '))).toEqual([]);
    for (const line of lines.filter((one) => one.includes('apt-get install'))) {
      expect(line).toContain('--no-install-recommends');
      expect(line).toContain('rm -rf /var/lib/apt/lists/*');
    }
  });
});

describe('the image of the server', () => {
  const lines = instructions('Dockerfile');

  it('has a health check, a volume for its data and ends on SIGTERM', () => {
    const words = lines.map((line) => line.split(' ')[0]);
    expect(words).toEqual(
      expect.arrayContaining(['HEALTHCHECK', 'VOLUME', 'STOPSIGNAL', 'EXPOSE']),
    );
  });

  it('sets only settings that exist', () => {
    const env = lines.find((line) => line.startsWith('ENV')) ?? '';
    const names = [...env.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name);
    const ours = names.filter((name) => !name.startsWith('NODE_'));
    expect(ours).not.toEqual([]);
    for (const name of ours) expect(settingNames).toContain(name);
  });
});

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly read_only?: boolean;
  readonly healthcheck?: object;
  readonly volumes?: readonly string[];
}

describe('compose.yaml', () => {
  const compose = parse(read('compose.yaml')) as {
    services: Record<'server' | 'redis' | 'worker-python', Service>;
    volumes: Record<string, unknown>;
  };

  it('runs a server, its Redis and a worker in Python', () => {
    expect(Object.keys(compose.services)).toEqual(['server', 'redis', 'worker-python']);
  });

  it('gives the server settings that exist', () => {
    for (const name of Object.keys(compose.services.server.environment ?? {})) {
      expect(settingNames).toContain(name);
    }
  });

  it('keeps everything that Redis holds: append-only file, no eviction, a volume', () => {
    const command = compose.services.redis.command?.join(' ');
    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--maxmemory-policy noeviction');
    expect(compose.services.redis.volumes).toEqual(['redis:/data']);
    expect(Object.keys(compose.volumes)).toContain('redis');
  });

  it('starts each part when what it needs is healthy', () => {
    const { server, 'worker-python': worker } = compose.services;
    expect(server.depends_on).toEqual({ redis: { condition: 'service_healthy' } });
    expect(worker.depends_on).toEqual({ server: { condition: 'service_healthy' } });
    expect(compose.services.redis.healthcheck).toBeDefined();
    expect(server.read_only).toBe(true);
  });

  it('asks for variables that the example file explains', () => {
    const asked = [...read('compose.yaml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name);
    const explained = [...read('deploy/compose.env.example').matchAll(/^([A-Z_]+)=/gm)].map(
      ([, name]) => name,
    );
    expect([...new Set(asked)].sort()).toEqual(explained.sort());
  });
});

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly spec?: Record<string, unknown>;
}

describe('the Kubernetes manifests', () => {
  const documents = parseAllDocuments(read('deploy/kubernetes/banto.yaml'));
  const manifests = documents.map((document) => document.toJS() as Manifest);
  const ofKind = (kind: string) => {
    const found = manifests.find((manifest) => manifest.kind === kind);
    if (found === undefined) throw new Error(`there is no ${kind}`);
    return found;
  };
  const pod = (
    ofKind('Deployment').spec as {
      template: {
        spec: { containers: readonly Record<string, unknown>[] } & Record<string, unknown>;
      };
    }
  ).template.spec;

  it('are well formed', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    expect(manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
      'v1 ConfigMap',
      'v1 Secret',
      'apps/v1 Deployment',
      'v1 Service',
      'policy/v1 PodDisruptionBudget',
    ]);
  });

  it('run two instances, of which one is always there', () => {
    expect(ofKind('Deployment').spec).toMatchObject({ replicas: 2 });
    expect(ofKind('PodDisruptionBudget').spec).toMatchObject({ minAvailable: 1 });
  });

  it('select the pods they mean', () => {
    const labels = { 'app.kubernetes.io/name': 'banto' };
    expect(ofKind('Deployment').spec).toMatchObject({
      selector: { matchLabels: labels },
      template: { metadata: { labels } },
    });
    expect(ofKind('Service').spec).toMatchObject({ selector: labels });
    expect(ofKind('PodDisruptionBudget').spec).toMatchObject({ selector: { matchLabels: labels } });
  });

  it('probe the routes that exist, and give time for a graceful stop', () => {
    const [container] = pod.containers;
    expect(container).toMatchObject({
      livenessProbe: { httpGet: { path: '/health', port: 'http' } },
      readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
      securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
    });
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(30);
  });

  it('give settings that exist, and the image of this version', () => {
    const version = (JSON.parse(read('package.json')) as { version: string }).version;
    expect(pod.containers[0]).toMatchObject({ image: `banto:${version}` });
    const names = [ofKind('ConfigMap').data, ofKind('Secret').stringData].flatMap((values) =>
      Object.keys(values ?? {}),
    );
    for (const name of names) expect(settingNames).toContain(name);
  });
});

describe('the systemd unit', () => {
  const unit = read('deploy/systemd/banto.service');

  it('starts the server as its own user, with its data in a folder of its own', () => {
    expect(unit).toMatch(/^ExecStart=.*\bbanto serve$/m);
    expect(unit).toMatch(/^User=banto$/m);
    expect(unit).toMatch(/^StateDirectoryMode=0700$/m);
  });

  it('restarts it when it ends, and lets it stop gracefully', () => {
    expect(unit).toMatch(/^Restart=always$/m);
    expect(unit).toMatch(/^KillSignal=SIGTERM$/m);
  });

  it('sets only settings that exist', () => {
    const env = unit.match(/^Environment=(.*)$/m)?.[1] ?? '';
    const names = env.split(' ').map((pair) => pair.split('=')[0] ?? '');
    for (const name of names.filter((one) => one !== 'NODE_ENV')) {
      expect(settingNames).toContain(name);
    }
  });
});
