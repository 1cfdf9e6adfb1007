// What a worker tells whoever watches it: the terminal, or a log.

export type WorkEvent =
  | { readonly type: 'waiting'; readonly agentId: string }
  | { readonly type: 'stopping'; readonly graceSeconds: number }
  | { readonly type: 'away'; readonly agentId: string; readonly text: string }
  | {
      readonly type: 'took';
      readonly agentId: string;
      readonly taskId: string;
      readonly title: string;
      readonly attempt: number;
      readonly log: string;
    }
  | {
      readonly type: 'note';
      readonly agentId: string;
      readonly taskId: string;
      readonly text: string;
    }
  | {
      readonly type: 'ended';
      readonly agentId: string;
      readonly taskId: string;
      readonly how: 'completed' | 'failed' | 'released' | 'abandoned';
      readonly text: string;
    };
