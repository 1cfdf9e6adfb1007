// The settings as the program uses them: one object for the server, one for the commands that talk to it.

import type { Policy } from '../core/settings.ts';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';
export type LogFormat = 'json' | 'pretty';

interface LocalForgeConfig {
  readonly kind: 'local';
  /** Absolute. */
  readonly repoDir: string;
  /** Relative to `repoDir`. */
  readonly backlogDir: string;
}

export interface GithubForgeConfig {
  readonly kind: 'github';
  readonly repositories: readonly string[];
  readonly apiUrl: string;
  readonly auth:
    | { readonly kind: 'token'; readonly token: string }
    | {
        readonly kind: 'app';
        readonly appId: number;
        readonly privateKey: string;
        readonly installationId: number;
      };
  readonly webhookSecret: string | null;
  readonly reviewPushes: boolean;
  readonly trustedOnly: boolean;
  readonly writes: { readonly perMinute: number; readonly burst: number };
}

export interface RedisConfig {
  readonly kind: 'redis';
  readonly connection: {
    /** `redis`, `rediss`, either of them `+sentinel` or `+cluster`. */
    readonly url?: string;
    readonly host?: string;
    readonly port?: number;
    readonly db?: number;
    readonly username?: string;
    readonly password?: string;
    readonly sentinelUsername?: string;
    readonly sentinelPassword?: string;
    readonly replicaUrl?: string;
  };
  /** Null: no TLS. Absolute paths. */
  readonly tls: {
    readonly caFile: string | null;
    readonly certFile: string | null;
    readonly keyFile: string | null;
  } | null;
  readonly namespace: string;
  readonly keyPatterns: {
    readonly issue?: string;
    readonly process?: string;
    readonly queue?: string;
    readonly stats?: string;
    readonly events?: string;
  };
  /** In seconds. */
  readonly ttls: {
    readonly heartbeat: number;
    readonly temp_data: number;
    readonly stats: number;
  };
}

export interface Config {
  readonly host: string;
  readonly port: number;
  /** True on any address that others can reach, and where REQUIRE_TOKENS says so: no start without a token. */
  readonly tokensRequired: boolean;
  /** Names beside `host` that requests may be addressed to. */
  readonly allowedHosts: readonly string[];
  readonly logLevel: LogLevel;
  /** Undefined: pretty on a terminal, JSON elsewhere. */
  readonly logFormat?: LogFormat;
  /** Where people are told what needs them; not set: nowhere. */
  readonly notify?: { readonly url: string; readonly secret: string | null };
  /** OTEL_* says where traces go. OpenTelemetry reads the rest of its variables itself. */
  readonly traces?: boolean;
  /** Absolute. */
  readonly dataDir: string;
  readonly forge: LocalForgeConfig | GithubForgeConfig;
  /** Why this forge was chosen; ends the sentence "the forge is … because …". */
  readonly forgeReason?: string;
  readonly store: { readonly kind: 'sqlite' } | RedisConfig;
  readonly policy: Policy;
  /** Where prompts of one's own lie; absolute. Null or not there: the shipped ones. */
  readonly prompts?: { readonly path: string; readonly isNamed: boolean } | null;
}

export interface ClientConfig {
  readonly url: string;
  /** Somebody said where the server is; otherwise it is where it would be by default. */
  readonly isNamed: boolean;
  readonly token: string | null;
  readonly agentId: string | null;
  readonly taskId: string | null;
  readonly leaseToken: string | null;
  /** False when NO_COLOR or a dumb terminal says so. */
  readonly color: boolean;
  /** LOG_LEVEL is debug: errors show where they were thrown. */
  readonly debug: boolean;
}

export interface WorkConfig extends ClientConfig {
  /** Absolute: the clone that work is done in. */
  readonly repoDir: string;
  /** Absolute; null: the folder `.banto` of the clone. */
  readonly dataDir: string | null;
  readonly check: string | null;
  readonly hooks: Readonly<Record<string, string>>;
  readonly prices: Readonly<
    Record<string, { readonly input: number; readonly output: number; readonly cached?: number }>
  >;
}
