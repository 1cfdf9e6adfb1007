// What is known of a task beside its text: priority, labels, where it is found, and what it used.

import { pullAddress, webAddress } from '../../data/addresses.ts';
import type { Detail } from '../../data/contract.ts';
import { config } from '../../data/state.ts';
import { Label, Meter, Priority, priorityWord } from '../../parts/marks.tsx';
import { At } from '../../parts/when.tsx';
import { compact, dollars } from '../../words/time.ts';
import { words } from '../../words/words.ts';

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

export function Properties({ detail }: { detail: Detail }) {
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
