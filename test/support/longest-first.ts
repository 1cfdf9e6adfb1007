// The order of test files: those that take longest first, so that no core waits for one of them at the end.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By how long they take; what begins like this. */
const LONGEST = [
  'test/simulation/stores',
  'test/redis/redis-fails',
  'test/simulation/simulation',
  'test/commands/local-commands',
  'test/browser/page.test',
  'test/redis/shared-pace',
  'test/github/crash',
  'test/no-secrets',
  'test/redis/github-instances',
  'src/command-line',
  'test/browser/',
  'test/commands/',
  'test/crash/',
  'test/simulation/',
  'test/fleet/',
  'test/outside/',
  'test/way/',
  'test/redis/',
  'test/github/',
  'test/work/',
  'test/linear/',
  'test/fuzz/',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const rankOf = ({ moduleId, project }: TestSpecification) => {
      const path = moduleId.slice(project.config.root.length + 1);
      const rank = LONGEST.findIndex((start) => path.startsWith(start));
      return rank < 0 ? LONGEST.length : rank;
    };
    return usual.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
