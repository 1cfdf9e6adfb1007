// What every route gets.

import type { Broker } from '../../../broker/broker.ts';
import type { Telemetry } from '../../../telemetry/telemetry.ts';
import type { HttpLimits, HttpSettings } from '../settings.ts';
import type { EventStream } from './event-stream.ts';
import type { CreateMcp } from './mcp-handler.ts';

export interface Door {
  readonly broker: Broker;
  readonly settings: HttpSettings;
  readonly limits: HttpLimits;
  readonly telemetry: Telemetry;
  readonly observe: Telemetry['observe'];
  readonly setDebug: Telemetry['setDebug'];
  readonly streams: Set<EventStream>;
  readonly isClosing: () => boolean;
  /** Undefined: there is no /mcp. */
  readonly createMcp: CreateMcp | undefined;
}
