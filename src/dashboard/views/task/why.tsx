// Why the task is, or is not, offered: rule by rule, for one agent or for any.

import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { api } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import type { Column } from '../../data/columns.ts';
import type { Why } from '../../data/contract.ts';
import { agentNames } from '../../data/state.ts';
import { Glyph } from '../../parts/marks.tsx';
import { clockOrDay } from '../../words/time.ts';
import { becauseText, words } from '../../words/words.ts';

function Outcome({ ok, first }: { ok: boolean; first: boolean }) {
  const { task } = words.value;
  if (ok) {
    return (
      <span class="st st-done">
        <Glyph name="ok" />
        {task.passes}
      </span>
    );
  }
  return (
    <span class="st strong">
      <Glyph name="no" />
      {first ? task.stops : task.fails}
    </span>
  );
}

type Rule = Why['rules'][number];

/** In the reader's language; a sentence that only the server knows is English. */
function Because({ rule: { code, values, detail } }: { rule: Rule }) {
  const text = becauseText(code, values);
  return text === null ? <span lang="en">{detail}</span> : <span>{text}</span>;
}

function Rules({ why }: { why: Why }) {
  const { task } = words.value;
  const stop = why.rules.findIndex(({ ok }) => !ok);
  return (
    <div class="table-scroll">
      <table class="why">
        <thead>
          <tr>
            <th scope="col" class="num">
              #
            </th>
            <th scope="col">{task.rule}</th>
            <th scope="col">{task.outcome}</th>
            <th scope="col">{task.because}</th>
          </tr>
        </thead>
        <tbody>
          {why.rules.map((rule, index) => (
            <tr key={rule.rule} class={index === stop ? 'stop' : ''}>
              <td class="num dim">{index + 1}</td>
              <td class="rule">{task.rules[rule.rule] ?? rule.rule.replaceAll('_', ' ')}</td>
              <td>
                <Outcome ok={rule.ok} first={index === stop} />
              </td>
              <td class="ink2">
                <Because rule={rule} />
              </td>
            </tr>
          ))}
          {why.rivals === null ? null : (
            <tr>
              <td class="num dim">{why.rules.length + 1}</td>
              <td class="rule">{task.place}</td>
              <td>
                <span class="st dim">
                  <Glyph name="info" />
                  {task.note}
                </span>
              </td>
              <td class="ink2">{task.ahead(why.rivals.ahead, why.rivals.waiting_agents)}</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

function verdict(why: Why, agent: string): string {
  const { task } = words.value;
  if (agent === '') return why.offered ? task.offered : task.notOffered;
  return why.offered ? task.offeredTo(agent) : task.notOfferedTo(agent);
}

/** What it is not offered for, or who gets it. */
function Reasons({ why, agent }: { why: Why; agent: string }) {
  if (why.offered) {
    const ahead = why.rivals?.ahead ?? 0;
    return <span>{words.value.task.getsIt(agent === '' ? null : agent, ahead)}</span>;
  }
  const decisive = why.rules.filter(({ rule }) => why.decisive.includes(rule));
  return (
    <>
      {decisive.map((rule, index) => (
        <Fragment key={rule.rule}>
          {index === 0 ? '' : ' '}
          <Because rule={rule} />
        </Fragment>
      ))}
    </>
  );
}

/** `reads` rises when the task changed: then the answer may be another one. */
export function WhyPanel(props: { taskId: string; reads: number; column: Column }) {
  const { task } = words.value;
  const [agent, setAgent] = useState('');
  const [why, setWhy] = useState<Why | null>(null);
  useEffect(() => {
    let gone = false;
    async function read(): Promise<void> {
      try {
        const answer = await api.why(props.taskId, agent === '' ? undefined : agent);
        if (!gone) setWhy(answer);
      } catch {
        if (!gone) setWhy(null);
      }
    }
    void read();
    return () => {
      gone = true;
    };
  }, [props.taskId, props.reads, agent]);
  return (
    <section class="panel" id="why" tabIndex={-1}>
      <div class="panel-head">
        <h2>{task.why}</h2>
        <span class="end">
          <label for="why-agent">{task.forAgent}</label>
          <select
            class="field selw"
            id="why-agent"
            value={agent}
            onChange={(event) => setAgent(event.currentTarget.value)}
          >
            <option value="">{task.anyAgent}</option>
            {agentNames.value.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </span>
      </div>
      {why === null ? null : (
        <>
          <div class="verdict">
            <span class={`st-${props.column}`}>
              <Glyph name={props.column} />
            </span>
            <p>
              <b>{verdict(why, agent)}</b> <Reasons why={why} agent={agent} />{' '}
              {why.earliest_at === null || why.offered
                ? null
                : task.earliest(clockOrDay(Date.parse(why.earliest_at), now.value))}
            </p>
          </div>
          <Rules why={why} />
        </>
      )}
    </section>
  );
}
