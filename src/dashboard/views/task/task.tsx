// One task: its text, why it is or is not offered, what was tried, and what happened.

import { useEffect, useRef, useState } from 'preact/hooks';
import { askCancel, askPriority, askRelease, askRequeue } from '../../data/actions.tsx';
import { api, CallError } from '../../data/api.ts';
import { columnOf, reference } from '../../data/columns.ts';
import type { Detail } from '../../data/contract.ts';
import { onEvent } from '../../data/follow.ts';
import { boardAddress, go, route } from '../../data/route.ts';
import { offers } from '../../data/state.ts';
import { Prose } from '../../parts/prose.tsx';
import { onKey } from '../../shell/keyboard.ts';
import { words } from '../../words/words.ts';
import { Attempts } from './attempts.tsx';
import { Head } from './head.tsx';
import { History } from './history.tsx';
import { Lease } from './lease.tsx';
import { Log } from './log.tsx';
import { Properties } from './properties.tsx';
import { Comments, Questions } from './talk.tsx';
import { WhyPanel } from './why.tsx';

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
