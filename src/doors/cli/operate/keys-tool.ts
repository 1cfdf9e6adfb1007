// What the Redis store offers to `banto keys`.

export type Progress = (done: number, of: number | null) => void;

export interface KeysTool {
  readonly namespace: string;
  list(
    filter: string | null,
    progress: Progress,
  ): Promise<readonly { key: string; type: string; ttlMs: number | null }[]>;
  count(
    filter: string | null,
    progress: Progress,
  ): Promise<readonly { component: string; keys: number }[]>;
  memory(
    filter: string | null,
    progress: Progress,
  ): Promise<{
    components: readonly { component: string; keys: number; bytes: number }[];
    largest: readonly { key: string; bytes: number }[];
  }>;
  backup(
    path: string,
    progress: Progress,
  ): Promise<{ keys: number; bytes: number; exact: boolean }>;
  restore(
    path: string,
    replace: boolean,
    progress: Progress,
  ): Promise<{ keys: number; expired: number; removed: number }>;
  clean(options: {
    dryRun: boolean;
    progress: Progress;
  }): Promise<readonly { kind: string; removed: number }[]>;
  close(): Promise<void>;
}
