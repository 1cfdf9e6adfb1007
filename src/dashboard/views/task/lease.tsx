// How long the holder of a task has left, and when it was last heard of.

import { now } from '../../data/clock.ts';
import type { Detail } from '../../data/contract.ts';
import { Meter } from '../../parts/marks.tsx';
import { countdown, duration } from '../../words/time.ts';
import { words } from '../../words/words.ts';

const openQuestion = ({ questions }: Detail) => questions.findLast(({ open }) => open);

export function Lease({ detail }: { detail: Detail }) {
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
