// Ends the run with one plain line that any CI can read.

import type { Reporter, TestModule } from 'vitest/node';

function count(modules: readonly TestModule[], state: 'passed' | 'failed' | 'skipped'): number {
  return modules.reduce((sum, module) => sum + [...module.children.allTests(state)].length, 0);
}

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    // A file that could not be loaded, or an error outside of any test, is a failure too.
    const broken = modules.filter(
      (module) => module.state() === 'failed' && module.children.size === 0,
    );
    const failed = count(modules, 'failed') + broken.length + errors.length;
    process.stdout.write(`\n${count(modules, 'passed')} passed, ${failed} failed\n`);
  }
}
