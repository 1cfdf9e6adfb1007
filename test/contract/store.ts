// The store contract. Any store passes it with one line: `testStore('sqlite', setup)`.

import { describe } from 'vitest';
import { testAgents } from './store/agents.ts';
import { testAnswers } from './store/answers.ts';
import { testAtOnce } from './store/at-once.ts';
import { testBounds } from './store/bounds.ts';
import { testClaim } from './store/claim.ts';
import { testFollowUps } from './store/follow-ups.ts';
import { testInstances } from './store/instances.ts';
import { testLeaseVerbs } from './store/lease-verbs.ts';
import { testOperators } from './store/operators.ts';
import { testOutbox } from './store/outbox.ts';
import { testPlans } from './store/plans.ts';
import { testReads } from './store/reads.ts';
import { testSettings } from './store/settings.ts';
import { testLogs, testSpending } from './store/spending.ts';
import { testSweep } from './store/sweep.ts';
import { testTickets } from './store/tickets.ts';
import { testTokens } from './store/tokens.ts';
import { type StoreSetup, useWorld } from './store/world.ts';

export function testStore(name: string, setup: StoreSetup): void {
  describe(`the ${name} store`, () => {
    const world = useWorld(setup);
    testClaim(world);
    testAnswers(world);
    testLeaseVerbs(world);
    testAtOnce(world);
    testFollowUps(world);
    testPlans(world);
    testOperators(world);
    testSweep(world);
    testOutbox(world);
    testTickets(world);
    testSettings(world);
    testTokens(world);
    testAgents(world);
    testReads(world);
    testInstances(world);
    testBounds(world);
    testLogs(world);
    testSpending(world);
  });
}
