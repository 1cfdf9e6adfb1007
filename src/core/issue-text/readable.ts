// An issue as every store can take it. Forges hand on what people, tools and files say; what no forge allows
// is left out here, and the issue is held with the reason, so that one issue never stops the others.

import type { Issue } from '../issue.ts';

/** As GitHub has them; a capability cannot be longer either, so that nothing longer could ever match. */
const LABEL_CHARACTERS = 50;
const LABELS = 100;
const DEPENDENCIES = 100;
const TITLE_CHARACTERS = 1000;

const CONTROL = /\p{Cc}/u;

function labelProblem(label: string): string | null {
  if (label.trim() === '') return 'a label is empty';
  if (!label.isWellFormed()) return 'a label has a broken character (half of a surrogate pair)';
  if (CONTROL.test(label)) return 'a label has a control character';
  const characters = Array.from(label.slice(0, LABEL_CHARACTERS * 2 + 1));
  if (characters.length > LABEL_CHARACTERS) {
    return `a label is longer than ${LABEL_CHARACTERS} characters`;
  }
  return null;
}

function firstProblem(issue: Issue): string | null {
  if (issue.labels.length > LABELS) return `there are more than ${LABELS} labels`;
  for (const label of issue.labels) {
    const problem = labelProblem(label);
    if (problem !== null) return problem;
  }
  return issue.blockedBy.length > DEPENDENCIES
    ? `it waits for more than ${DEPENDENCIES} issues`
    : null;
}

function cutTitle(title: string): string {
  const line = title.toWellFormed();
  return line.length <= TITLE_CHARACTERS
    ? line
    : `${line.slice(0, TITLE_CHARACTERS).toWellFormed()}…`;
}

export function readable(issue: Issue): Issue {
  const { pull } = issue;
  return {
    ...issue,
    title: cutTitle(issue.title),
    body: issue.body.toWellFormed(),
    labels: issue.labels.filter((label) => labelProblem(label) === null).slice(0, LABELS),
    blockedBy: issue.blockedBy.slice(0, DEPENDENCIES),
    pull:
      pull === null
        ? null
        : { ...pull, comments: pull.comments.map((comment) => comment.toWellFormed()) },
    problem: issue.problem ?? firstProblem(issue),
  };
}

/** The least of an issue that a store refused: that it is there, and why it is not offered. */
export function unstorable(issue: Issue, message: string): Issue {
  return {
    ...issue,
    title: cutTitle(issue.title),
    body: '',
    labels: [],
    blockedBy: [],
    pull: null,
    problem: `the store cannot take it (${message.toWellFormed().slice(0, 200)})`,
  };
}
