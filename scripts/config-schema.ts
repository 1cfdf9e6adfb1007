// Writes banto.config.schema.json from the table of settings: `npm run config-schema`.

import { writeFileSync } from 'node:fs';
import { configFileSchema } from '../src/config/schema.ts';

const target = new URL('../banto.config.schema.json', import.meta.url);
writeFileSync(target, `${JSON.stringify(configFileSchema(), null, 2)}\n`);
