import { testPace } from '../../../test/contract/pace.ts';
import { createPacer } from './pacer.ts';

testPace('one process', async () => {
  let now = 1_000_000;
  return {
    open: (_identity, limits) => createPacer(limits, () => now),
    advance(ms) {
      now += ms;
    },
    close: async () => undefined,
  };
});
