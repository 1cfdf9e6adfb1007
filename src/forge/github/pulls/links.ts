// Which issues a pull request speaks of, and which pull request is an issue's. Pure.
// GitHub's own `closingIssuesReferences` is empty unless the default branch is the target: the text is read here.

import type { Issue } from '../../../core/issue.ts';
import { branchFromBody } from '../../../core/issue-text/body.ts';
import { isLedgerLabel } from '../../../core/ledger.ts';
import { ownBranch, wishProblem } from '../../../core/plan/branch-wish.ts';
import { isForeign, type Pull } from '../shapes.ts';

const TEXT_READ = 65_536;
const REFERENCE =
  /(?:([\w.-]{1,100}\/[\w.-]{1,100})?#|https?:\/\/[^\s/]{1,255}\/([\w.-]{1,100}\/[\w.-]{1,100})\/issues\/)(\d{1,9})(?!\w)/g;
const CLOSES = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+$/i;
const NUMBERED_BRANCH = /^feature\/issue-(\d{1,9})$/;

interface Mentions {
  readonly closes: readonly number[];
  readonly names: readonly number[];
}

/** Issues of this repository that the text closes by keyword, and those it only names. */
export function mentionsIn(text: string, repository: string): Mentions {
  const closes = new Set<number>();
  const names = new Set<number>();
  const read = text.slice(0, TEXT_READ);
  for (const match of read.matchAll(REFERENCE)) {
    const [whole, elsewhere, byAddress, digits] = match;
    const before = read.slice(Math.max(0, match.index - 30), match.index);
    // A word or a path right before `#7` makes it something else.
    if (whole.startsWith('#') && /[\w/&]$/.test(before)) continue;
    const of = elsewhere ?? byAddress;
    if (of !== undefined && of.toLowerCase() !== repository.toLowerCase()) continue;
    (CLOSES.test(before) ? closes : names).add(Number(digits));
  }
  return { closes: [...closes], names: [...names].filter((number) => !closes.has(number)) };
}

/** The branch that the issue asks for, where its name may be used. Whether it is followed, the broker decides. */
export function wishedBranchOf(
  issue: Pick<Issue, 'body' | 'number'>,
  defaultBranch: string,
): string {
  const wish = branchFromBody(issue.body);
  const followed = wish !== null && wishProblem(wish, defaultBranch) === null;
  return followed ? wish : ownBranch(issue.number);
}

/** The numbers of issues that look different with this pull request; named branches come from the index. */
export function touchedBy(
  pull: Pull,
  repository: string,
  namedBranches: ReadonlyMap<string, ReadonlySet<number>>,
): number[] {
  const { closes, names } = mentionsIn(`${pull.title}\n${pull.body}`, repository);
  const byNumber = NUMBERED_BRANCH.exec(pull.headBranch)?.[1];
  const touched = [
    ...closes,
    ...names,
    ...(byNumber === undefined ? [] : [Number(byNumber)]),
    ...(namedBranches.get(pull.headBranch) ?? []),
  ];
  return [...new Set(touched)].filter((number) => number !== pull.number);
}

/** Naming an issue is a weak word: it counts where work on that issue has begun, and while the request is open. */
function hasBegun(issue: Issue): boolean {
  return issue.labels.some((label) => isLedgerLabel(label));
}

type Link = 'claimed' | 'branch' | 'closes' | 'names';
const STRENGTH: readonly Link[] = ['claimed', 'branch', 'closes', 'names'];
const LIVENESS: readonly Pull['state'][] = ['open', 'merged', 'closed'];

/** What is known beside the texts: by number of the pull request. */
interface Said {
  readonly claimed: ReadonlySet<number>;
  readonly mentioned: ReadonlySet<number>;
}
const NOTHING_SAID: Said = { claimed: new Set(), mentioned: new Set() };

/** What people of the repository opened comes first, then what an agent reported, then what strangers link. */
function standing(pull: Pull, link: Link): number {
  if (!isForeign(pull)) return 0;
  return link === 'claimed' ? 1 : 2;
}

function linkOf(issue: Issue, pull: Pull, wish: string, said: Said): Link | null {
  if (said.claimed.has(pull.number)) return 'claimed';
  const { headBranch } = pull;
  if (pull.ownBranch && (headBranch === wish || headBranch === ownBranch(issue.number)))
    return 'branch';
  const { closes, names } = mentionsIn(`${pull.title}\n${pull.body}`, issue.repository);
  if (closes.includes(issue.number)) return 'closes';
  const named = names.includes(issue.number) || said.mentioned.has(pull.number);
  return named && pull.state === 'open' && hasBegun(issue) ? 'names' : null;
}

/** Own before strange ones, open before merged before closed, then the stronger link, then the newer one. */
export function pullFor(
  issue: Issue,
  candidates: readonly Pull[],
  defaultBranch: string,
  said: Said = NOTHING_SAID,
): Pull | null {
  const wish = wishedBranchOf(issue, defaultBranch);
  let best: { pull: Pull; rank: readonly number[] } | null = null;
  for (const pull of candidates) {
    const link = linkOf(issue, pull, wish, said);
    if (link === null) continue;
    const rank = [
      standing(pull, link),
      LIVENESS.indexOf(pull.state),
      STRENGTH.indexOf(link),
      -pull.number,
    ];
    if (best === null || comesBefore(rank, best.rank)) best = { pull, rank };
  }
  return best?.pull ?? null;
}

function comesBefore(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at !== -1 && (a[at] ?? 0) < (b[at] ?? 0);
}
