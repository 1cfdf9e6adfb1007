// What the HTTP door can be told. `config/` fills it; tests shrink the times.

export interface HttpSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly version: string;
  /** Must be true for any address that is not loopback. */
  readonly tokensRequired: boolean;
  /** Further names this server is reached by (a proxy's), beside `host` and the loopback names. */
  readonly allowedHosts?: readonly string[];
  readonly limits?: Partial<HttpLimits>;
}

export interface HttpLimits {
  readonly bodyBytes: number;
  /** GitHub's deliveries may be this large; nothing else may. */
  readonly webhookBytes: number;
  /** So much of a delivery without a signature is drained; a longer one ends its connection. */
  readonly unsignedBytes: number;
  readonly headerBytes: number;
  readonly urlLength: number;
  readonly connections: number;
  /** A request must have arrived in full by then. How long its answer takes is another matter. */
  readonly receiveMs: number;
  /** How long `close` waits for open answers before it cuts them. */
  readonly closeMs: number;
  readonly eventStreams: number;
  readonly eventHeartbeatMs: number;
  /** The timer that backs the hints of new events. */
  readonly eventPollMs: number;
  /** A reader that takes nothing for so long is cut. */
  readonly eventStallMs: number;
}

export const DEFAULT_LIMITS: HttpLimits = {
  bodyBytes: 1_048_576,
  webhookBytes: 26_214_400,
  unsignedBytes: 65_536,
  headerBytes: 16_384,
  urlLength: 4_096,
  connections: 20_000,
  receiveMs: 30_000,
  closeMs: 10_000,
  eventStreams: 200,
  eventHeartbeatMs: 15_000,
  eventPollMs: 1_000,
  eventStallMs: 30_000,
};

const LOOPBACK_ADDRESS = /^(?:127(?:\.\d{1,3}){3}|::1)$/;

/** A name or address that only this machine answers to; brackets of IPv6 are fine. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name.endsWith('.localhost') || LOOPBACK_ADDRESS.test(name);
}
