// The two issues that `banto init` writes: the least that is needed, and everything there is.

export interface ExampleIssue {
  readonly name: string;
  readonly about: string;
  readonly content: string;
}

const SMALL = `---
labels: [docs]
---
# Write a first page for newcomers

New people ask how to build and test this project.

## Deliverables

- \`HELLO.md\` says in ten lines how to build and test this project
`;

const FULL = `---
# This part is YAML. Everything in it may be left out.
#
# labels    An agent gets the issue when it offers one of them: banto next --cap docs
#           Banto adds and removes its own: in-progress, needs-review, approved, needs-human.
# priority  high, normal (the default) or low
# state     open (the default) or closed. Close it when the work is merged.
# blocked_by  It is held until these issues are closed.
labels: [docs, example]
priority: low
state: open
blocked_by: [1]
---
# An example with everything (delete me)

The line above, which begins with one \`#\`, is the title. The rest is for whoever does the work.
Say what is wrong and why it matters; agents see only this text and the repository.

Branch: docs/example

The line above asks for a branch of that name. Without it the branch is \`feature/issue-2\`.

## Deliverables

- Without a section of this name, with something in it, an issue is held and no agent gets it
- One line for each thing that must be true in the end helps the agent that reviews it
`;

export const EXAMPLE_ISSUES: readonly ExampleIssue[] = [
  { name: '0001-first-page.md', about: 'a small example issue', content: SMALL },
  { name: '0002-example.md', about: 'an example with everything, explained', content: FULL },
];
