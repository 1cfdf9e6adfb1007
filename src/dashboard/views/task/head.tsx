// The head of a task: what it is, how it stands, and what an operator can do about it.

import {
  askCancel,
  askPriority,
  askRelease,
  askRequeue,
  refusal,
  type Subject,
} from '../../data/actions.tsx';
import { columnOf } from '../../data/columns.ts';
import type { Detail } from '../../data/contract.ts';
import { boardAddress } from '../../data/route.ts';
import { config, mayAct } from '../../data/state.ts';
import { StateOf } from '../../parts/marks.tsx';
import { Age } from '../../parts/when.tsx';
import { reasonText, words } from '../../words/words.ts';

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

/** The event that brought it into its state; without one, what its record says. */
function stateSince(detail: Detail): string {
  const last = detail.history.findLastIndex(({ state }) => state !== detail.state);
  const came = detail.history[last + 1];
  return came?.at ?? detail.lease?.leased_at ?? detail.ended_at ?? detail.updated_at;
}

export function Head({ detail }: { detail: Detail }) {
  const { task: text, views, kinds } = words.value;
  const most = config.value?.max_attempts ?? 3;
  const column = columnOf(detail);
  return (
    <div class="view-head">
      <div class="task-head">
        <div class="crumb dim">
          <a href={boardAddress.value}>{views.board}</a> / {detail.repository}#{detail.issue_id}
        </div>
        <h1>{detail.title}</h1>
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
      </div>
      <div class="end">
        <Actions task={detail} />
      </div>
    </div>
  );
}
