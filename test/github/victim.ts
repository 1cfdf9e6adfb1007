// A Banto on the double of GitHub that kills itself at a named point: the second argument, with `#2` for the second
// time it is reached. Without one it just serves.

import { serve } from '../../src/serve.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { configFor } from '../support/serve-config.ts';

interface Place {
  readonly dataDir: string;
  readonly apiUrl: string;
  readonly token: string;
  readonly repository: string;
}

const [given = '', point = ''] = process.argv.slice(2);
const { dataDir, apiUrl, token, repository } = JSON.parse(given) as Place;
const [checkpoint, time = '1'] = point.split('#');
let left = Number(time);

const served = await serve(
  {
    ...configFor({ repoDir: dataDir, dataDir }),
    forge: {
      kind: 'github',
      repositories: [repository],
      apiUrl,
      auth: { kind: 'token', token },
      webhookSecret: null,
      reviewPushes: false,
      trustedOnly: false,
      writes: { perMinute: 60, burst: 20 },
    },
  },
  createTelemetry({ level: 'silent' }),
  {
    reached(name) {
      if (name !== checkpoint) return;
      left -= 1;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
    },
  },
);
process.stdout.write(`${served.url}\n`);
process.on('SIGTERM', () => {
  void served.stop();
});
