import { testPace } from '../../../../test/contract/pace.ts';
import { createProcessPace } from './process-pace.ts';

testPace('one process', async () => {
  let now = 1_000_000;
  return {
    open: (_identity, limits) => createProcessPace(limits, () => now),
    advance(ms) {
      now += ms;
    },
    close: async () => undefined,
  };
});
