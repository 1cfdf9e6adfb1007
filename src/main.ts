// The command line: argv → a door. Everything else is loaded after the check of the Node it runs on.

import { nodeProblem } from './machine/node-version.ts';

const problem = nodeProblem(process.versions.node);
if (problem === null) {
  const { main } = await import('./command-line.ts');
  process.exitCode = await main(process.argv.slice(2));
} else {
  process.stderr.write(`banto: ${problem}\n`);
  process.exitCode = 1;
}
