// Keeps the store's picture of the backlog true: changes as they come, a full pass now and then that heals
// whatever was missed and compares the labels with the store.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { ForgeBusy, type ForgeChange } from '../core/forge.ts';
import type { Issue } from '../core/issue.ts';
import { readable } from '../core/issue-text/readable.ts';
import { IN_PROGRESS, ledgerDiffers } from '../core/ledger.ts';
import { mayShowOldNames, planIssue } from '../core/plan/plan.ts';
import {
  dependenciesOf,
  listingMayPredateOwnWrite,
  mayPredateOwnWrite,
} from '../core/plan/plan-gate.ts';
import type { MirrorEntry, MirroredIssue } from '../core/store.ts';
import { OPEN_STATES, type Task, type TaskState } from '../core/task.ts';
import type { BranchWishes } from './backlog/branch-wishes.ts';
import { createStoreIssues } from './backlog/store-issues.ts';
import type { Context } from './context.ts';
import { createLoop, type Loop } from './loop.ts';

const BATCH = 100;
/** The store sets the end of a grace a moment after it was planned. */
const GRACE_SLACK_MS = 1000;
/** How long the mark that everything was listed outlives its last renewal; at least several polls. */
const LISTED_MS = 60_000;
const LISTED_POLLS = 3;
/** Issues planned and stored in one step: everybody else waits for so long. */
const SLICE = 25;

/** `stored`: seen once and planned again; it may be older than our own writes. */
type Source = 'forge' | 'stored';

const isOpen = (state: TaskState) => OPEN_STATES.includes(state);

export interface MirrorOptions {
  readonly pollMs: number;
  readonly fullPassMs: number;
  /** One instance of many lists and polls. */
  readonly leads: () => boolean;
  /** Told of the tasks of every issue that is looked at, as they were found. */
  readonly saw?: (tasks: readonly Task[], now: number) => void;
}

export interface Mirror extends Loop {
  /** Takes in what the forge noticed. */
  take(change: ForgeChange): Promise<void>;
  /** Lists everything, cancels what is gone, repairs labels. */
  fullPass(): Promise<void>;
  /** Plans one known issue again, from what is stored. */
  replan(repository: string, number: number): Promise<void>;
  /** Plans every known issue again, where everything was listed before (the policy changed). */
  replanSoon(): void;
  /** True once everything was listed, by whichever instance, and the changes since were followed. */
  isListed(): Promise<boolean>;
  /** Lists everything as soon as it may: this instance leads now, or the store lost data. */
  begin(): void;
}

export function createMirror(
  context: Context,
  wishes: BranchWishes,
  options: MirrorOptions,
): Mirror {
  const { store, forge, log, timers } = context;
  const storeIssues = createStoreIssues(context);
  const cursors = new Map<string, string | null>();
  const branches = new Map<string, Promise<string>>();
  /** The generation of the store's data that everything was listed into. */
  let listedInto: string | null = null;
  /** Missing: not listed yet, or to be listed again. */
  const fullPassDueAt = new Map<string, number>();
  let graceEndsAt = Number.POSITIVE_INFINITY;
  // Changes are applied one after the other: two pictures of one issue must not overtake each other.
  let tail: Promise<void> = Promise.resolve();

  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = tail.then(work);
    tail = done.catch(() => undefined);
    return done;
  }

  function defaultBranch(repository: string): Promise<string> {
    const known = branches.get(repository);
    if (known !== undefined) return known;
    const asked = forge.defaultBranch(repository);
    branches.set(repository, asked);
    asked.catch(() => branches.delete(repository));
    return asked;
  }

  async function knownIssues(
    repository: string,
    numbers: readonly number[],
  ): Promise<Map<number, MirroredIssue>> {
    const found = await store.issuesNumbered(repository, numbers);
    return new Map(found.map((entry) => [entry.issue.number, entry]));
  }

  /** An agent may have named a pull request that nothing on the forge links to the issue, or only a stranger's. */
  async function withNamedPull(issue: Issue, known: MirroredIssue | undefined): Promise<Issue> {
    const { pull } = issue;
    const linked = pull !== null && pull.foreign !== true;
    if (linked || issue.subject !== 'issue' || forge.pull === undefined) return issue;
    // Asked for where a change was handed in and waits: before that the number may be an old link.
    const waiting = known?.tasks.findLast((t) => t.kind !== 'implement' && isOpen(t.state));
    const named = waiting?.prNumber ?? null;
    if (named === null || named === pull?.number) return issue;
    const reported = await forge.pull(issue.repository, named, issue.number);
    return { ...issue, pull: reported ?? pull };
  }

  /** Branches that issues ask for and do not get; and the issues that lose theirs to one of these. */
  async function judgeWishes(
    repository: string,
    issues: readonly Issue[],
    known: ReadonlyMap<number, MirroredIssue>,
  ): Promise<{ problems: Map<number, string>; displaced: number[] }> {
    const base = await defaultBranch(repository);
    const displaced = issues.flatMap((issue) => wishes.take(issue, base));
    const problems = new Map<number, string>();
    for (const issue of issues) {
      const tasks = known.get(issue.number)?.tasks ?? [];
      const problem = await wishes.problemOf(issue, tasks, base);
      if (problem !== null) problems.set(issue.number, problem);
    }
    const here = new Set(issues.map(({ number }) => number));
    return { problems, displaced: displaced.filter((number) => !here.has(number)) };
  }

  interface Applied {
    /** Opened or closed by it. */
    readonly turned: readonly number[];
    /** Have to take another branch. */
    readonly displaced: readonly number[];
  }

  async function apply(
    repository: string,
    shown: readonly Issue[],
    source: Source,
  ): Promise<Applied> {
    const generation = store.generation();
    const holds = () => store.generation() === generation;
    const known = await knownIssues(
      repository,
      shown.map((issue) => issue.number),
    );
    const issues = await Promise.all(
      shown.map(async (issue) => readable(await withNamedPull(issue, known.get(issue.number)))),
    );
    const newest = new Map(issues.map((issue) => [issue.number, issue]));
    const needed = issues.flatMap(dependenciesOf).filter((number) => !newest.has(number));
    const others = await knownIssues(repository, [...new Set(needed)]);
    const { problems, displaced } = await judgeWishes(repository, issues, known);
    const planContext = {
      policy: context.policy(),
      hasPullRequests: forge.hasPullRequests,
      numbersReturn: forge.numbersReturn === true,
      defaultBranch: await defaultBranch(repository),
      wishProblems: problems,
      isOpen: (number: number) =>
        (newest.get(number) ?? others.get(number)?.issue)?.state === 'open',
      listed: await isListed(),
      agents: await agentNames(issues, known),
      now: await store.now(),
    };
    for (const { tasks } of known.values()) options.saw?.(tasks, planContext.now);
    const plan = (issue: Issue) => planIssue(issue, known.get(issue.number) ?? null, planContext);
    const stored = await storeIssues(issues, plan, holds);
    // The store lost its data meanwhile: a lease that explained `in-progress` is not there any more.
    if (!holds()) return apply(repository, shown, source);
    noteGraces(stored, planContext.now);
    await repair(issues, known, (issue, before) =>
      source === 'forge'
        ? listingMayPredateOwnWrite(issue, before, planContext.now)
        : mayPredateOwnWrite(issue, before),
    );
    const turned = issues
      .filter((issue) => known.get(issue.number)?.issue.state !== issue.state)
      .map((issue) => issue.number);
    return { turned, displaced };
  }

  /** Asked for only where an issue says that somebody is at work, or may show the name of somebody who was. */
  async function agentNames(
    issues: readonly Issue[],
    known: ReadonlyMap<number, MirroredIssue>,
  ): Promise<Set<string>> {
    const matters = issues.some(
      (issue) =>
        issue.labels.some((label) => label.toLowerCase() === IN_PROGRESS) ||
        mayShowOldNames(issue, known.get(issue.number) ?? null),
    );
    const agents = matters ? await store.agents() : [];
    const names = new Set(agents.map(({ agentId }) => agentId));
    for (const label of agents.flatMap(({ capabilities }) => capabilities)) names.delete(label);
    return names;
  }

  /** Progress of somebody else is adopted for a while; when that is over, the issues are looked at again. */
  function noteGraces(entries: readonly MirrorEntry[], now: number): void {
    for (const { want } of entries.flatMap(({ plans }) => plans)) {
      if (want.state !== 'held' || want.graceMs === null) continue;
      graceEndsAt = Math.min(graceEndsAt, now + want.graceMs + GRACE_SLACK_MS);
    }
  }

  /** I6: where the issue does not show what the store wants, the labels are written again. */
  async function repair(
    issues: readonly Issue[],
    known: Map<number, MirroredIssue>,
    mayPredate: (issue: Issue, before: MirroredIssue) => boolean,
  ): Promise<void> {
    for (const issue of issues) {
      const before = known.get(issue.number);
      if (before === undefined || mayPredate(issue, before)) continue;
      const { wanted, written } = before.issue;
      if (ledgerDiffers(wanted, written, issue.labels, before.matchLabels)) {
        await store.touchLabels(issue.repository, issue.number);
      }
    }
  }

  async function applyWithDependents(
    repository: string,
    issues: readonly Issue[],
    source: Source,
  ): Promise<void> {
    for (let start = 0; start < issues.length; start += SLICE) {
      const { turned, displaced } = await apply(
        repository,
        issues.slice(start, start + SLICE),
        source,
      );
      const waiting = await Promise.all(turned.map((n) => store.dependents(repository, n)));
      const again = await knownIssues(repository, [...new Set([...waiting.flat(), ...displaced])]);
      if (again.size > 0)
        await apply(
          repository,
          [...again.values()].map(({ issue }) => issue),
          'stored',
        );
    }
  }

  async function close(repository: string, gone: readonly MirroredIssue[]): Promise<void> {
    const closed = gone.map(({ issue }): Issue => ({ ...issue, state: 'closed' }));
    await applyWithDependents(repository, closed, 'stored');
  }

  /** A listing may lag behind; a lease is only taken away on the word of the issue itself. */
  async function confirmGone(repository: string, entry: MirroredIssue): Promise<void> {
    const now = await forge.read(repository, entry.issue.number);
    if (now === null) await close(repository, [entry]);
    else await applyWithDependents(repository, [now], 'forge');
  }

  async function takeNow(change: ForgeChange): Promise<void> {
    const { repository, issues, gone, lostLabels = [] } = change;
    await applyWithDependents(repository, issues, 'forge');
    if (gone.length > 0) {
      const known = await knownIssues(repository, gone);
      await close(repository, [...known.values()]);
    }
    if (lostLabels.length > 0) await relabel(repository, lostLabels);
    if (change.unreachable === true)
      await eachStored(repository, (page) => close(repository, page));
  }

  /** The issues themselves have not changed, so that nothing else would ever tell. */
  async function relabel(repository: string, lost: readonly string[]): Promise<void> {
    const names = new Set(lost.map((label) => label.toLowerCase()));
    await eachStored(repository, async (page) => {
      for (const { issue } of page) {
        if (!issue.wanted.some((label) => names.has(label.toLowerCase()))) continue;
        await store.touchLabels(repository, issue.number);
      }
    });
  }

  async function eachStored(
    repository: string,
    visit: (page: MirroredIssue[]) => Promise<void>,
  ): Promise<void> {
    let after = 0;
    for (;;) {
      const page = await store.openIssues(repository, after, BATCH);
      const last = page.at(-1);
      if (last === undefined) return;
      await visit(page);
      after = last.issue.number;
      // Reads of an embedded store answer at once: without this nobody else would get a turn.
      await nextTurn();
    }
  }

  async function listRepository(repository: string): Promise<void> {
    const startedAt = await store.now();
    const seen = new Set<number>();
    for await (const page of forge.list(repository)) {
      await inTurn(() => applyWithDependents(repository, page, 'forge'));
      for (const issue of page) seen.add(issue.number);
      await keepMark();
    }
    await eachStored(repository, (page) =>
      inTurn(async () => {
        const missing = page.filter(
          ({ issue }) =>
            !seen.has(issue.number) && issue.seenAt <= startedAt && issue.state === 'open',
        );
        for (const entry of missing) await confirmGone(repository, entry);
      }),
    );
  }

  /** An issue it waits for might have been open, and not listed yet. */
  const waitsForListing = ({ tasks }: MirroredIssue) =>
    tasks.some((task) => task.state === 'held' && task.reason === 'listing');

  async function replanAll(which: (entry: MirroredIssue) => boolean = () => true): Promise<void> {
    for (const repository of forge.repositories) {
      await eachStored(repository, (page) =>
        inTurn(() =>
          applyWithDependents(
            repository,
            page.filter(which).map(({ issue }) => issue),
            'stored',
          ),
        ),
      );
    }
  }

  const listedHere = (): boolean => listedInto !== null && listedInto === store.generation();

  /** What one instance listed is known to all, as long as somebody follows the changes. */
  async function isListed(): Promise<boolean> {
    return listedHere() || (await store.listed());
  }

  const markListed = (silenceMs = 0): Promise<void> =>
    store.markListed(silenceMs + Math.max(LISTED_MS, LISTED_POLLS * options.pollMs));

  /** A listing takes its time: meanwhile the mark of the one before stays, whoever made that. */
  async function keepMark(silenceMs = 0): Promise<void> {
    if (await store.listed()) await markListed(silenceMs);
  }

  /** A store that was restarted has forgotten the mark: what others held back meanwhile is judged again. */
  async function renewMark(): Promise<void> {
    if (await store.listed()) return markListed();
    if (!listedHere()) return;
    await markListed();
    await replanAll(waitsForListing);
  }

  /** One repository that cannot be read must not keep the others from being read. */
  async function eachRepository(visit: (repository: string) => Promise<void>): Promise<void> {
    const failures: unknown[] = [];
    for (const repository of forge.repositories) {
      await visit(repository).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  async function listNow(repository: string): Promise<void> {
    const generation = store.generation();
    await listRepository(repository);
    fullPassDueAt.set(repository, (await store.now()) + options.fullPassMs);
    if (forge.repositories.some((name) => !fullPassDueAt.has(name))) return;
    const first = listedInto !== generation;
    listedInto = generation;
    await markListed();
    // What waited for the end of the listing can be judged now.
    if (first) await replanAll(waitsForListing);
    log.debug({ repositories: forge.repositories }, 'the whole backlog was mirrored');
  }

  const fullPass = () => eachRepository(listNow);

  async function poll(repository: string): Promise<void> {
    const { change, cursor } = await forge.changes(repository, cursors.get(repository) ?? null);
    await inTurn(() => takeNow(change));
    cursors.set(repository, cursor);
  }

  async function look(repository: string): Promise<void> {
    const due = (fullPassDueAt.get(repository) ?? 0) <= (await store.now());
    await (due ? listNow(repository) : poll(repository));
  }

  /** Everything is listed again when the store lost data, or when a grace is over. */
  async function listAgainWhereNeeded(): Promise<void> {
    const lost = listedInto !== null && listedInto !== store.generation();
    const graceOver = (await store.now()) >= graceEndsAt;
    if (!lost && !graceOver) return;
    graceEndsAt = Number.POSITIVE_INFINITY;
    fullPassDueAt.clear();
  }

  async function turn(): Promise<number | null> {
    if (!options.leads()) return null;
    await listAgainWhereNeeded();
    await renewMark();
    try {
      await eachRepository(look);
    } catch (error) {
      if (!(error instanceof ForgeBusy)) throw error;
      log.info({ waitMs: error.retryAfterMs }, `the backlog is not read for now: ${error.message}`);
      await keepMark(error.retryAfterMs);
      return Math.max(options.pollMs, error.retryAfterMs);
    }
    return options.pollMs;
  }

  const loop = createLoop({ name: 'mirror', timers, log, turn, retryMs: options.pollMs });
  return {
    ...loop,
    fullPass,
    replanSoon() {
      isListed()
        .then((listed) => (listed ? replanAll() : undefined))
        .catch((error: unknown) => {
          log.warn({ err: error }, 'could not plan again after a change of settings');
        });
    },
    take: (change) => inTurn(() => takeNow(change)),
    replan: (repository, number) =>
      inTurn(async () => {
        const known = await knownIssues(repository, [number]);
        await applyWithDependents(
          repository,
          [...known.values()].map(({ issue }) => issue),
          'stored',
        );
      }),
    isListed,
    begin() {
      fullPassDueAt.clear();
      loop.kick();
    },
  };
}
