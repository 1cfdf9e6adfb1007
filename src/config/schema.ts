// The JSON schema of banto.config.json, made from the table of settings. `npm run config-schema` writes it out.

import { redisSectionSchema } from './redis-section.ts';
import { fileKey } from './setting.ts';
import { SETTINGS } from './settings.ts';

export function configFileSchema(): object {
  const properties: Record<string, object> = {
    $schema: { type: 'string', description: 'For editors.' },
  };
  for (const setting of SETTINGS) {
    if (setting.variableOnly === true) continue;
    properties[fileKey(setting)] = {
      ...setting.kind.schema,
      description: setting.about,
      ...(setting.fallback === undefined ? {} : { default: setting.fallback }),
    };
  }
  properties.redis = redisSectionSchema(SETTINGS);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'banto.config.json',
    type: 'object',
    properties,
    additionalProperties: false,
  };
}
