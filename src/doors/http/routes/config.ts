// The run-time settings: /config and /flags.

import type { Flags } from '../../../broker/broker.ts';
import {
  ConfigAnswer,
  FlagParams,
  FlagsAnswer,
  SettingBody,
  SettingParams,
} from '../../schema/settings.ts';
import { configView } from '../../views/config.ts';
import { describe } from '../openapi/describe.ts';
import type { App } from '../server.ts';
import type { Door } from './context.ts';

const read = { access: 'read' } as const;
const change = { access: 'operator' } as const;
const tag = 'operators' as const;
const shared = { tag, params: SettingParams, body: SettingBody, errors: [404] } as const;
const flag = { ...shared, params: FlagParams } as const;

function flagsView({ maintenance, debug, paused }: Flags): FlagsAnswer {
  return {
    maintenance,
    debug,
    ...Object.fromEntries(paused.map((name) => [`maintenance:${name}`, true])),
  };
}

export function routeConfig(app: App, { broker, observe }: Door): void {
  const get = describe({ tag, summary: 'The settings in force', answer: ConfigAnswer });
  app.get('/config', { config: read, schema: get }, async () =>
    configView(await observe('config', () => broker.config())),
  );

  const put = describe({ ...shared, summary: 'Change one setting', answer: ConfigAnswer });
  app.put(
    '/config/:name',
    { config: change, schema: put },
    async ({ params, body, caller: { by } }) =>
      configView(
        await observe('put_config', () => broker.putConfig(params.name, body.value, { by })),
      ),
  );
}

export function routeFlags(app: App, { broker, observe, setDebug }: Door): void {
  const get = describe({ tag, summary: 'The switches', answer: FlagsAnswer });
  app.get('/flags', { config: read, schema: get }, async () =>
    flagsView(await observe('flags', () => broker.flags())),
  );

  const put = describe({
    ...flag,
    summary:
      'Turn a switch: maintenance stops hand-out (maintenance:{repository} and maintenance:{agent} for one of them), debug raises the log level',
    answer: FlagsAnswer,
  });
  app.put(
    '/flags/:name',
    { config: change, schema: put },
    async ({ params, body, caller: { by } }) => {
      const flags = await observe('put_flag', () =>
        broker.putFlag(params.name, body.value, { by }),
      );
      setDebug(flags.debug);
      return flagsView(flags);
    },
  );
}
