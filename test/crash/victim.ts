// A Banto that kills itself at a named point: the second argument. Without one it just serves.

import { serve } from '../../src/serve.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { configFor } from '../support/serve-config.ts';

const [place, checkpoint] = process.argv.slice(2);
const served = await serve(
  configFor(JSON.parse(place ?? '') as { repoDir: string; dataDir: string }),
  createTelemetry({ level: 'silent' }),
  {
    reached(name) {
      if (name === checkpoint) process.kill(process.pid, 'SIGKILL');
    },
  },
);
process.stdout.write(`${served.url}\n`);
process.on('SIGTERM', () => {
  void served.stop();
});
