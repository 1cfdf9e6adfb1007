// What an operator can do. Each asks before it destroys, does one call, and says what it did.

import { Copy } from '../parts/copy.tsx';
import { ask, type Field } from '../parts/dialog.tsx';
import { type PriorityWord, priorityWord } from '../parts/marks.tsx';
import { show, type Toast } from '../parts/toasts.tsx';
import { words } from '../words/words.ts';
import { api, CallError } from './api.ts';
import { columnOf, reference } from './columns.ts';
import type { Agent, Card } from './contract.ts';
import { readAgain } from './follow.ts';
import { connection } from './live.ts';
import { go, taskPath } from './route.ts';
import { agentNames, cards, flags, mayAct, offers, repositories } from './state.ts';
import { workCommand } from './work-command.ts';

const NEEDS_HUMAN = 'needs-human';

export type Subject = Pick<
  Card,
  'task_id' | 'repository' | 'issue_id' | 'kind' | 'state' | 'reason' | 'priority' | 'branch_name'
> & { readonly lease: { readonly agent_id: string } | null };

export function canAct(): boolean {
  return mayAct.value && connection.value.state !== 'off';
}

/** Null: it may be done. Otherwise why not, for the button to say. */
export function refusal(
  verb: 'requeue' | 'release' | 'priority' | 'cancel',
  task: Subject,
): string | null {
  const { shell, act, columns } = words.value;
  if (!mayAct.value) return shell.readOnlyWhy;
  if (connection.value.state === 'off') return shell.offWhy;
  const { state } = task;
  const allowed = {
    requeue:
      ['dead', 'delayed', 'cancelled', 'ready'].includes(state) ||
      (state === 'held' && /^(?:refused|no_progress)/.test(task.reason ?? '')),
    release: state === 'leased',
    priority: !['done', 'cancelled'].includes(state),
    cancel: !['done', 'cancelled'].includes(state),
  };
  return allowed[verb] ? null : act.notNow(columns[columnOf(task)]);
}

/** Does it and says so; what the server refuses is shown in its own words. */
async function perform(run: () => Promise<Toast | null>): Promise<void> {
  const { act } = words.value;
  try {
    const toast = await run();
    if (toast !== null) show(toast);
  } catch (error) {
    const call = error instanceof CallError ? error : new CallError(0, 'error', String(error));
    const unsure = call.status === 0;
    show({
      refused: true,
      text: unsure ? act.unsure : act.undone(call.message),
      sub: unsure ? undefined : `${call.status} ${call.code}, ${act.nothingChanged}`,
    });
  }
}

function showTask(task: Subject): Toast['link'] {
  return { label: words.value.act.show, run: () => go(taskPath(task.task_id)) };
}

export function askRequeue(task: Subject): void {
  if (refusal('requeue', task) !== null) return;
  const { act } = words.value;
  const name = reference(task);
  ask({
    title: act.requeueTitle(name),
    list: act.requeueList,
    safe: act.keepAsIs,
    act: {
      label: act.requeueDo,
      run: () =>
        perform(async () => {
          await api.requeue(task.task_id, {});
          return { text: act.done.requeue(name), sub: act.done.requeueSub, link: showTask(task) };
        }),
    },
  });
}

export function askRelease(task: Subject): void {
  if (refusal('release', task) !== null) return;
  const { act } = words.value;
  const name = reference(task);
  ask({
    title: act.releaseTitle(name),
    list: act.releaseList(task.lease?.agent_id ?? ''),
    safe: act.keepAsIs,
    act: {
      label: act.releaseDo,
      danger: true,
      run: () =>
        perform(async () => {
          await api.unlock(task.task_id);
          return { text: act.done.release(name), sub: act.done.releaseSub, link: showTask(task) };
        }),
    },
  });
}

export function askCancel(task: Subject): void {
  if (refusal('cancel', task) !== null) return;
  const { act } = words.value;
  const name = reference(task);
  const holder = task.lease?.agent_id;
  ask({
    title: act.cancelTitle(name),
    list: [
      ...(holder === undefined ? [] : [act.cancelHeld(holder)]),
      ...act.cancelList(task.branch_name),
    ],
    fields: [{ name: 'reason', label: act.reason, kind: 'text', value: '' }],
    safe: act.keep,
    act: {
      label: act.cancelDo,
      danger: true,
      run: ({ reason = '' }) =>
        perform(async () => {
          await api.cancel(task.task_id, reason.trim() === '' ? {} : { reason: reason.trim() });
          return {
            text: act.done.cancel(name),
            sub: act.done.cancelSub,
            link: { label: act.requeueDo, run: () => undo(task) },
          };
        }),
    },
  });
}

function undo(task: Subject): void {
  const { act } = words.value;
  void perform(async () => {
    await api.requeue(task.task_id, {});
    return { text: act.done.requeue(reference(task)), link: showTask(task) };
  });
}

export function askPriority(task: Subject): void {
  if (refusal('priority', task) !== null) return;
  const { act, priorities, priority } = words.value;
  const name = reference(task);
  const choices = (['high', 'normal', 'low'] as const).map((value) => ({
    value,
    label: priorities[value],
  }));
  ask({
    title: act.priorityTitle(name),
    list: act.priorityList,
    fields: [
      {
        name: 'priority',
        label: priority,
        kind: 'choice',
        value: priorityWord(task.priority),
        options: choices,
      },
    ],
    safe: act.keepAsIs,
    act: {
      label: act.priorityDo,
      run: (values) =>
        perform(async () => {
          const wanted = values['priority'] as PriorityWord;
          await api.priority(task.task_id, { priority: wanted });
          return { text: act.done.priority(name, priorities[wanted]) };
        }),
    },
  });
}

/** `scope` null: everything; otherwise a repository or an agent. */
function setPaused(scope: string | null, value: boolean): Promise<void> {
  const { act, shell } = words.value;
  return perform(async () => {
    flags.value = await api.putFlag(scope === null ? 'maintenance' : `maintenance:${scope}`, value);
    const sub = scope ?? undefined;
    return value
      ? {
          text: act.done.pause,
          sub: sub ?? act.done.pauseSub,
          glyph: 'pause',
          link: { label: shell.resume, run: () => void setPaused(scope, false) },
        }
      : { text: act.done.resume, sub, glyph: 'play' };
  });
}

export function pausedScopes(): string[] {
  return Object.entries(flags.value ?? {})
    .filter(([name, value]) => name.startsWith('maintenance:') && value === true)
    .map(([name]) => name.slice('maintenance:'.length));
}

export function togglePause(scope: string | null = null): void {
  if (!canAct()) return;
  const paused =
    scope === null ? flags.value?.maintenance === true : pausedScopes().includes(scope);
  if (paused) {
    void setPaused(scope, false);
    return;
  }
  const { act } = words.value;
  const running = [...cards.value.values()].filter(({ state }) => state === 'leased').length;
  const one = scope === null && offers('pause_one');
  const names = [...repositories.value, ...agentNames.value].filter(
    (name) => !pausedScopes().includes(name),
  );
  ask({
    title: scope === null ? act.pauseTitle : act.pauseOneTitle(scope),
    list: scope === null ? act.pauseList(running) : act.pauseOneList,
    fields: one
      ? [
          {
            name: 'scope',
            label: act.pauseWhat,
            kind: 'choice',
            value: '',
            options: [
              { value: '', label: act.pauseAll },
              ...names.map((name) => ({ value: name, label: name })),
            ],
          },
        ]
      : [],
    safe: act.keepAsIs,
    act: {
      label: act.pauseDo,
      run: ({ scope: chosen = '' }) => setPaused(scope ?? (chosen === '' ? null : chosen), true),
    },
  });
}

export function answerQuestion(
  taskId: string,
  questionId: string,
  agent: string,
  text: string,
): Promise<void> {
  return perform(async () => {
    await api.answer(taskId, questionId, text);
    return { text: words.value.act.done.answer(agent) };
  });
}

export function askBudget(task: Subject): void {
  const { act } = words.value;
  const name = reference(task);
  ask({
    title: act.budgetTitle(name),
    list: act.budgetList,
    fields: [{ name: 'usd', label: act.budgetLabel, kind: 'number', value: '', required: true }],
    safe: act.keepAsIs,
    act: {
      label: act.budgetDo,
      run: ({ usd = '' }) =>
        perform(async () => {
          await api.budget(task.task_id, Number(usd));
          return { text: act.done.budget(name), link: showTask(task) };
        }),
    },
  });
}

export function retryLedger(): void {
  void perform(async () => {
    await api.retryLedger();
    return { text: words.value.act.done.ledger };
  });
}

export function showCommand(agent: Pick<Agent, 'agent_id' | 'capabilities'> | null): void {
  const { act } = words.value;
  ask({
    title: agent === null ? act.addAgentTitle : act.commandTitle(agent.agent_id),
    content: (
      <>
        <p>{act.commandText}</p>
        <Copy text={workCommand(agent, location.origin)} />
        <p class="dim">{act.commandMore}</p>
      </>
    ),
    safe: act.close,
  });
}

/** Where the backlog is Banto's own, what is missing in an issue is written here. */
export async function askEdit(card: Card): Promise<void> {
  const { act } = words.value;
  const name = reference(card);
  const { body } = await api.task(card.task_id);
  ask({
    title: act.editTitle(name),
    fields: [{ name: 'body', label: act.addBody, kind: 'lines', value: body }],
    safe: act.keepAsIs,
    wide: true,
    act: {
      label: act.editDo,
      run: ({ body: text = '' }) =>
        perform(async () => {
          await api.editIssue(card.issue_id, { body: text.replaceAll('\r\n', '\n') });
          readAgain([card.task_id]);
          return { text: act.done.edit(name) };
        }),
    },
  });
}

/** The label that keeps agents away goes; a person has looked. */
export function askUnlabel(card: Card): void {
  const { act } = words.value;
  const name = reference(card);
  ask({
    title: act.unlabelTitle(name),
    list: act.unlabelList,
    safe: act.keepAsIs,
    act: {
      label: act.unlabelDo,
      run: () =>
        perform(async () => {
          await api.editIssue(card.issue_id, { remove_labels: [NEEDS_HUMAN] });
          readAgain([card.task_id]);
          return { text: act.done.unlabel(name), link: showTask(card) };
        }),
    },
  });
}

export function askClose(card: Card): void {
  const { act } = words.value;
  const name = reference(card);
  ask({
    title: act.closeTitle(name),
    list: act.closeList(card.branch_name),
    safe: act.keepAsIs,
    act: {
      label: act.closeDo,
      run: () =>
        perform(async () => {
          await api.editIssue(card.issue_id, { state: 'closed' });
          readAgain([card.task_id]);
          return { text: act.done.close(name) };
        }),
    },
  });
}

export function askIssue(): void {
  const { act } = words.value;
  const fields: Field[] = [
    { name: 'title', label: act.addName, kind: 'text', value: '', required: true },
    { name: 'body', label: act.addBody, kind: 'lines', value: act.addHint },
    { name: 'labels', label: act.addLabels, kind: 'text', value: '' },
  ];
  ask({
    title: act.addTitle,
    fields,
    safe: act.close,
    wide: true,
    act: {
      label: act.addDo,
      run: ({ title = '', body = '', labels = '' }) =>
        perform(async () => {
          const names = labels.split(',').map((label) => label.trim());
          const { number } = await api.addIssue({ title, body, labels: names.filter(Boolean) });
          return { text: act.done.issue, sub: number === undefined ? undefined : `#${number}` };
        }),
    },
  });
}
