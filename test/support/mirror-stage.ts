// A whole broker whose mirror is looked at, one for each test.

import { afterEach } from 'vitest';
import type { BrokerOptions } from '../../src/broker/create-broker.ts';
import type { Mirror } from '../../src/broker/mirror.ts';
import type { ForgeChange } from '../../src/core/forge.ts';
import { type Task, type TaskKind, taskId } from '../../src/core/task.ts';
import type { DeskOptions } from './desk.ts';
import { makeWholeBroker, REPOSITORY, type WholeBroker } from './whole-broker.ts';

export const idOf = (number: number, kind: TaskKind = 'implement', repository = REPOSITORY) =>
  taskId({ repository, number, kind, round: 1 });

export const change = (over: Partial<ForgeChange>): ForgeChange => ({
  repository: REPOSITORY,
  issues: [],
  gone: [],
  ...over,
});

export function useMirrorStage() {
  const stage = { whole: null as unknown as WholeBroker };
  afterEach(async () => {
    await stage.whole.broker.stop();
    await stage.whole.close();
  });
  const taskOf = async (number: number, kind?: TaskKind): Promise<Task | null> =>
    (await stage.whole.store.task(idOf(number, kind)))?.task ?? null;
  return {
    stage,
    open(options: DeskOptions = {}, broker: Partial<BrokerOptions> = {}): void {
      stage.whole = makeWholeBroker(options, { pollMs: 5000, fullPassMs: 300_000, ...broker });
    },
    mirror: (): Mirror => stage.whole.broker.loops.mirror,
    taskOf,
    /** `ready`, or `held: why`; null: there is none. */
    async stateOf(number: number, kind?: TaskKind): Promise<string | null> {
      const task = await taskOf(number, kind);
      if (task === null) return null;
      return task.reason === null ? task.state : `${task.state}: ${task.reason}`;
    },
  };
}
