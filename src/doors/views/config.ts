// The run-time settings as JSON.

import type { Policy } from '../../core/settings.ts';
import type { ConfigAnswer } from '../schema/settings.ts';
import { snakeCase } from './snake-case.ts';

export function configView(policy: Policy): ConfigAnswer {
  return Object.fromEntries(
    Object.entries(policy).map(([name, value]) => [snakeCase(name), value]),
  ) as unknown as ConfigAnswer;
}
