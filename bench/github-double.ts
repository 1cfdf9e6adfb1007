// The double of GitHub with a large backlog, in a process of its own: `node github-double.ts 50000`. Says its address,
// and for every line it hears how many requests it has had.

import { createInterface } from 'node:readline';
import { startGithubDouble } from '../github-double/double.ts';

const REPOSITORY = 'bench/large';
const LABELS = ['python', 'docs', 'web', 'css', 'rust', 'go', 'java', 'sql', 'ops', 'bug'];
const count = Number(process.argv[2]);

// Opened a week ago: otherwise all of them would be changes.
const AGE_MS = 7 * 86_400_000;
const clock = () => Date.now() - AGE_MS;
const github = await startGithubDouble({ repositories: [REPOSITORY], clock });
const person = github.as('ann');
const text = 'What has to be done, and why, in a few sentences that somebody wrote. '.repeat(20);
for (let index = 1; index <= count; index += 1) {
  const waits = index % 50 === 0 ? `\n\nDepends on #${index - 1}` : '';
  person.openIssue(REPOSITORY, {
    title: `Issue ${index}`,
    body: `${text}\n\n## Deliverables\n\n- number ${index}${waits}`,
    labels: [LABELS[index % LABELS.length] ?? '', index % 7 === 0 ? 'P1' : 'team/shop'],
  });
}
github.clock.advance(AGE_MS);
const { url, token } = github;
process.stdout.write(`${JSON.stringify({ url, token, repository: REPOSITORY })}\n`);
createInterface({ input: process.stdin }).on('line', () => {
  const listings = github.requests.filter((one) => one.operation.endsWith('/issues')).length;
  const told = github.limits.violations.length;
  process.stdout.write(`${JSON.stringify({ all: github.requests.length, listings, told })}\n`);
});
