// The one button that solves what needs a person.

import {
  askBudget,
  askClose,
  askEdit,
  askRequeue,
  askUnlabel,
  canAct,
  retryLedger,
  showCommand,
} from '../../data/actions.tsx';
import { pullAddress, webAddress } from '../../data/addresses.ts';
import type { Card } from '../../data/contract.ts';
import type { Need } from '../../data/needs.ts';
import { taskPath } from '../../data/route.ts';
import { offers } from '../../data/state.ts';
import { words } from '../../words/words.ts';

function Out({ href, label }: { href: string; label: string }) {
  return (
    <a class="btn" href={href} target="_blank" rel="noreferrer noopener">
      {label}
    </a>
  );
}

function Inside({ card, label }: { card: Card; label: string }) {
  return (
    <a class="btn" href={taskPath(card.task_id)}>
      {label}
    </a>
  );
}

function OpenIssue({ card, label }: { card: Card; label: string }) {
  const href = webAddress(card.issue_url);
  if (href !== null) return <Out href={href} label={label} />;
  return <Inside card={card} label={words.value.needs.open} />;
}

function Button({ label, run }: { label: string; run: () => void }) {
  return (
    <button type="button" class="btn" onClick={run}>
      {label}
    </button>
  );
}

/** The backlog is Banto's own, and this person may change it. */
function editsHere(card: Card): boolean {
  return webAddress(card.issue_url) === null && canAct() && offers('issues');
}

export function ActionOf({ need }: { need: Need }) {
  const text = words.value.needs;
  switch (need.kind) {
    case 'dead':
    case 'stuck':
      return canAct() ? (
        <Button label={text.requeue} run={() => askRequeue(need.card)} />
      ) : (
        <Inside card={need.card} label={text.open} />
      );
    case 'budget':
      return canAct() && offers('budget') ? (
        <Button label={text.raise} run={() => askBudget(need.card)} />
      ) : (
        <Inside card={need.card} label={text.open} />
      );
    case 'stopped':
      return <Button label={text.command} run={() => showCommand(need.agent)} />;
    case 'ledger':
      return canAct() && offers('retry_ledger') ? (
        <Button label={text.tryNow} run={retryLedger} />
      ) : null;
    case 'human':
      return editsHere(need.card) ? (
        <Button label={text.unlabel} run={() => askUnlabel(need.card)} />
      ) : (
        <OpenIssue card={need.card} label={text.edit} />
      );
    case 'held':
      if (canAct() && need.card.reason?.startsWith('refused') === true) {
        return <Button label={text.requeue} run={() => askRequeue(need.card)} />;
      }
      return editsHere(need.card) ? (
        <Button label={text.editHere} run={() => void askEdit(need.card)} />
      ) : (
        <OpenIssue card={need.card} label={text.edit} />
      );
    case 'approved': {
      if (editsHere(need.card)) {
        return <Button label={text.close} run={() => askClose(need.card)} />;
      }
      const pull = pullAddress(need.card);
      return pull === null ? (
        <OpenIssue card={need.card} label={text.openIssue} />
      ) : (
        <Out href={pull} label={text.openPull(need.card.pr_number ?? 0)} />
      );
    }
    case 'question':
      return null;
  }
}
