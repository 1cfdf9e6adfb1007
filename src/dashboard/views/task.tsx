// One task: its text, why it is or is not offered, what was tried, and what happened.

import { useEffect, useRef, useState } from 'preact/hooks';
import {
  askCancel,
  askPriority,
  askRelease,
  askRequeue,
  refusal,
  type Subject,
} from '../data/actions.tsx';
import { api, CallError } from '../data/api.ts';
import { now } from '../data/clock.ts';
import { columnOf, reference } from '../data/columns.ts';
import type { Detail } from '../data/contract.ts';
import { onEvent } from '../data/follow.ts';
import { boardAddress, go, route } from '../data/route.ts';
import { config, mayAct, offers } from '../data/state.ts';
import { Glyph, Label, Meter, Priority, priorityWord, StateOf } from '../parts/marks.tsx';
import { Prose } from '../parts/prose.tsx';
import { Reply } from '../parts/reply.tsx';
import { Age, At } from '../parts/when.tsx';
import { onKey } from '../shell/keyboard.ts';
import { compact, countdown, dollars, duration } from '../words/time.ts';
import { reasonText, words } from '../words/words.ts';
import { pullAddress, webAddress } from './overview.tsx';
import { Attempts } from './task-attempts.tsx';
import { History } from './task-history.tsx';
import { Log } from './task-log.tsx';
import { WhyPanel } from './task-why.tsx';

const SETTLE_MS = 120;

type Loaded = { readonly detail: Detail | null; readonly missing: boolean; readonly reads: number };

/** Reads the task, and again whenever something happens to it. */
function useDetail(taskId: string): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({ detail: null, missing: false, reads: 0 });
  useEffect(() => {
    let gone = false;
    let timer: ReturnType<typeof setTimeout> | null = null;
    async function read(): Promise<void> {
      timer = null;
      try {
        const detail = await api.task(taskId);
        if (!gone) setLoaded(({ reads }) => ({ detail, missing: false, reads: reads + 1 }));
      } catch (error) {
        const missing = error instanceof CallError && [400, 404].includes(error.status);
        if (!gone && missing) setLoaded({ detail: null, missing: true, reads: 0 });
      }
    }
    void read();
    const end = onEvent((event) => {
      if (event.task_id === taskId) timer ??= setTimeout(() => void read(), SETTLE_MS);
    });
    return () => {
      gone = true;
      if (timer !== null) clearTimeout(timer);
      end();
    };
  }, [taskId]);
  return loaded;
}

function Actions({ task }: { task: Subject }) {
  const { act } = words.value;
  if (!mayAct.value) return null;
  const verbs = [
    ['release', act.release, askRelease],
    ['priority', act.priority, askPriority],
    ['requeue', act.requeue, askRequeue],
    ['cancel', act.cancel, askCancel],
  ] as const;
  return (
    <div class="actions">
      {verbs.map(([verb, label, run]) => {
        const why = refusal(verb, task);
        return (
          <button
            key={verb}
            type="button"
            class="btn"
            disabled={why !== null}
            title={why ?? undefined}
            onClick={() => run(task)}
          >
            {label}
          </button>
        );
      })}
    </div>
  );
}

const openQuestion = ({ questions }: Detail) => questions.findLast(({ open }) => open);

function Lease({ detail }: { detail: Detail }) {
  const { task: text, now: nowText } = words.value;
  const { lease } = detail;
  if (lease === null) return null;
  const paused = openQuestion(detail) !== undefined;
  const leftMs = Date.parse(lease.expires_at) - now.value;
  // Not every renewal leaves a fact; each one gives the lease its whole time again.
  const beatAt = paused
    ? detail.history.findLast(({ type }) => type === 'asked')?.at
    : Date.parse(lease.expires_at) - lease.seconds * 1000;
  const note = detail.history.findLast(
    (event) => event.type === 'renewed' && typeof event['progress'] === 'string',
  )?.['progress'];
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{text.lease}</h2>
        <span class="end">{text.fence(lease.fence)}</span>
      </div>
      <div class="panel-body">
        <div class="big" role="timer" aria-live="off">
          {paused ? nowText.paused : countdown(leftMs)}{' '}
          <small>
            {paused
              ? text.leftFor(countdown(leftMs))
              : text.leftOf(countdown(lease.seconds * 1000))}
          </small>
        </div>
        <Meter
          share={paused ? 1 : leftMs / (lease.seconds * 1000)}
          tone={paused ? 'warn' : 'le'}
          label={nowText.left}
        />
        <p class="dim">
          {beatAt === undefined
            ? null
            : text.heartbeat(duration(now.value - new Date(beatAt).getTime()))}
          {typeof note === 'string' ? `: “${note}”` : ''}
        </p>
      </div>
    </section>
  );
}

function Questions({ detail }: { detail: Detail }) {
  const { task: text, needs } = words.value;
  if (detail.questions.length === 0) return null;
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{text.questions}</h2>
      </div>
      <ul>
        {detail.questions.toReversed().map((each) => (
          <li key={each.question_id} class={each.open ? 'need hot q' : 'need cool q'}>
            <Glyph name="ask" />
            <p class="what">{needs.asks(each.agent_id)}</p>
            <span class="age">
              <Age since={each.asked_at} />
            </span>
            <p class="ask pre">{each.question}</p>
            {each.answer === null ? null : (
              <p class="answer pre">
                <b>{text.answered}</b> {each.answer}
              </p>
            )}
            {each.open ? (
              <Reply taskId={detail.task_id} questionId={each.question_id} agent={each.agent_id} />
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

function UsageOf({ detail }: { detail: Detail }) {
  const { task: text, fleet } = words.value;
  const { usage, limits } = detail;
  if (usage === null) return null;
  const limit = limits?.cost_usd ?? config.value?.max_cost_per_task_usd ?? null;
  const parts = [
    text.tokens(compact(usage.input_tokens), compact(usage.output_tokens)),
    usage.turns === 0 ? '' : text.turns(usage.turns),
  ].filter(Boolean);
  return (
    <>
      <dt>{text.usage}</dt>
      <dd>
        {dollars(usage.cost_usd)}{' '}
        {limit === null ? null : (
          <>
            <small>{fleet.of(dollars(limit))}</small>
            <Meter
              share={usage.cost_usd / limit}
              tone={usage.cost_usd >= limit ? 'warn' : 'fg'}
              label={text.usage}
            />
          </>
        )}
        <span class="dim">{parts.join(', ')}</span>
      </dd>
    </>
  );
}

function Issue({ detail }: { detail: Detail }) {
  const href = webAddress(detail.issue_url);
  const name = `${detail.repository}#${detail.issue_id}`;
  if (href !== null) {
    return (
      <a href={href} target="_blank" rel="noreferrer noopener">
        {name}
      </a>
    );
  }
  const file = detail.issue_url.split('/').slice(-2).map(decodeURIComponent).join('/');
  return <span class="mono wrap">{file}</span>;
}

function Pull({ detail }: { detail: Detail }) {
  const { task: text } = words.value;
  if (detail.pr_number === null) return <span class="dim">{text.noneYet}</span>;
  const href = pullAddress(detail);
  if (href === null) return <>#{detail.pr_number}</>;
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      #{detail.pr_number}
    </a>
  );
}

function Branch({ detail }: { detail: Detail }) {
  const base = /^(https?:\/\/[^/]+\/[^/]+\/[^/]+)\/issues\/\d+$/.exec(detail.issue_url)?.[1];
  const name = <span class="mono wrap">{detail.branch_name}</span>;
  if (base === undefined) return name;
  const branch = detail.branch_name.split('/').map(encodeURIComponent).join('/');
  return (
    <a href={`${base}/tree/${branch}`} target="_blank" rel="noreferrer noopener">
      {name}
    </a>
  );
}

function Properties({ detail }: { detail: Detail }) {
  const { task: text, priority, priorities } = words.value;
  const word = priorityWord(detail.priority);
  return (
    <section class="panel">
      <div class="panel-body propsb">
        <dl class="props">
          {detail.lease === null ? null : (
            <>
              <dt>{text.holder}</dt>
              <dd>{detail.lease.agent_id}</dd>
            </>
          )}
          <dt>{priority}</dt>
          <dd>
            <span class="st">
              <Priority priority={detail.priority} />
              {priorities[word]} {detail.priority}
            </span>
          </dd>
          <dt>{text.labels}</dt>
          <dd class="caps">
            {detail.labels.map((name) => (
              <Label key={name} name={name} />
            ))}
          </dd>
          <dt>{text.issue}</dt>
          <dd>
            <Issue detail={detail} />
          </dd>
          <dt>{text.branch}</dt>
          <dd>
            <Branch detail={detail} />
          </dd>
          <dt>{text.pull}</dt>
          <dd>
            <Pull detail={detail} />
          </dd>
          {detail.authors.length === 0 ? null : (
            <>
              <dt>{text.authors}</dt>
              <dd>{detail.authors.join(', ')}</dd>
            </>
          )}
          <dt>{text.created}</dt>
          <dd>
            <At instant={detail.created_at} />
          </dd>
          <UsageOf detail={detail} />
        </dl>
      </div>
    </section>
  );
}

function Comments({ detail }: { detail: Detail }) {
  const { task: text } = words.value;
  const comments = [...detail.review_comments, ...(detail.result?.comments ?? [])];
  if (comments.length === 0) return null;
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{text.comments}</h2>
      </div>
      <ul class="panel-body prose">
        {[...new Set(comments)].map((comment) => (
          <li key={comment} class="pre">
            {comment}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The event that brought it into its state; without one, what its record says. */
function stateSince(detail: Detail): string {
  const last = detail.history.findLastIndex(({ state }) => state !== detail.state);
  const came = detail.history[last + 1];
  return came?.at ?? detail.lease?.leased_at ?? detail.ended_at ?? detail.updated_at;
}

function Head({ detail }: { detail: Detail }) {
  const { task: text, views, kinds } = words.value;
  const most = config.value?.max_attempts ?? 3;
  const column = columnOf(detail);
  return (
    <>
      <div class="view-head">
        <div class="task-head">
          <div class="crumb dim">
            <a href={boardAddress.value}>{views.board}</a> / {detail.repository}#{detail.issue_id}
          </div>
          <h1>{detail.title}</h1>
        </div>
        <div class="end">
          <Actions task={detail} />
        </div>
      </div>
      <div class="task-meta">
        <StateOf card={detail} />
        {detail.reason === null ? null : (
          <span class={column === 'dead' ? 'shu' : 'ink2'}>{reasonText(detail.reason)}</span>
        )}
        <span class="ink2">{kinds[detail.kind]}</span>
        {detail.state === 'done' ? null : (
          <span class="ink2">
            {text.attempt(
              Math.min(most, detail.attempts + (detail.state === 'dead' ? 0 : 1)),
              most,
            )}
          </span>
        )}
        {detail.kind === 'implement' ? null : (
          <span class="ink2">{text.round(((detail.round - 1) % 100) + 1)}</span>
        )}
        <span class="ink2">
          {text.inState('\0').split('\0')[0]}
          <Age since={stateSince(detail)} />
          {text.inState('\0').split('\0')[1]}
        </span>
      </div>
    </>
  );
}

function Missing() {
  const { task: text } = words.value;
  return (
    <div class="view">
      <div class="panel empty">
        <h1>{text.unknown}</h1>
        <p>{text.unknownMore}</p>
        <a class="btn" href={boardAddress.value}>
          {text.back}
        </a>
      </div>
    </div>
  );
}

function useTaskKeys(detail: Detail | null): void {
  const current = useRef(detail);
  current.current = detail;
  useEffect(
    () =>
      onKey((key) => {
        const task = current.current;
        if (key === 'Escape') {
          go(boardAddress.value);
          return true;
        }
        if (task === null) return false;
        const run = { r: askRequeue, u: askRelease, p: askPriority, x: askCancel }[key];
        if (key === 'w') document.querySelector<HTMLElement>('#why')?.focus();
        else if (run === undefined) return false;
        else run(task);
        return true;
      }),
    [],
  );
}

export function Task() {
  const taskId = route.value.taskId ?? '';
  const { detail, missing, reads } = useDetail(taskId);
  useTaskKeys(detail);
  useEffect(() => {
    if (detail !== null) document.title = `${reference(detail)} ${detail.title} · Banto`;
    if (reads === 1 && window.location.hash === '#why') {
      document.querySelector<HTMLElement>('#why')?.focus();
    }
  }, [detail?.title, reads === 1]);
  if (missing) return <Missing />;
  if (detail === null || detail.task_id !== taskId) return <div class="view" aria-busy="true" />;
  const { task: text } = words.value;
  return (
    <div class="view">
      <Head detail={detail} />
      <div class="task">
        <div class="stack">
          <section class="panel">
            <div class="panel-head">
              <h2>{text.issue}</h2>
              <span class="end">{text.byStranger}</span>
            </div>
            {detail.body.trim() === '' ? (
              <p class="panel-body dim">{text.noBody}</p>
            ) : (
              <Prose text={detail.body} />
            )}
          </section>
          <Questions detail={detail} />
          <WhyPanel taskId={taskId} reads={reads} column={columnOf(detail)} />
          <Attempts detail={detail} />
          <Comments detail={detail} />
          {offers('log') ? <Log taskId={taskId} live={detail.lease !== null} /> : null}
        </div>
        <div class="stack">
          <Lease detail={detail} />
          <Properties detail={detail} />
          <History events={detail.history} />
        </div>
      </div>
    </div>
  );
}
