// Who works, on what, how well.

import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { canAct, pausedScopes, showCommand, togglePause } from '../data/actions.tsx';
import { api } from '../data/api.ts';
import { reference } from '../data/columns.ts';
import type { Flow } from '../data/contract.ts';
import { fleet } from '../data/derived.ts';
import { type Doing, isBusy, isStopped, type Member } from '../data/fleet.ts';
import { startOfDay } from '../data/follow.ts';
import { route, setQuery, taskPath } from '../data/route.ts';
import { offers, queue, twoDays } from '../data/state.ts';
import { workCommand } from '../data/work-command.ts';
import { Copy } from '../parts/copy.tsx';
import { Glyph, type GlyphName, Label } from '../parts/marks.tsx';
import { Age, Left } from '../parts/when.tsx';
import { dollars, duration } from '../words/time.ts';
import { words } from '../words/words.ts';

const HOURS = 8;
const HOUR_MS = 3_600_000;
const REFRESH_MS = 30_000;

const today = signal<Flow | null>(null);
const lastHours = signal<Flow | null>(null);

async function refresh(): Promise<void> {
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const [sinceMidnight, hours] = await Promise.all([
    api.flow(startOfDay(), 3600),
    api.flow(new Date(hour - (HOURS - 1) * HOUR_MS), 3600),
  ]);
  today.value = sinceMidnight;
  lastHours.value = hours;
}

const LOOKS: Readonly<Record<Doing, { glyph: GlyphName; tone: string }>> = {
  working: { glyph: 'leased', tone: 'st-leased' },
  reviewing: { glyph: 'review', tone: 'st-review' },
  asking: { glyph: 'ask', tone: 'shu' },
  waiting: { glyph: 'delayed', tone: 'dim' },
  free: { glyph: 'ready', tone: 'dim' },
  idle: { glyph: 'held', tone: 'dim' },
  stopped: { glyph: 'agent', tone: 'shu' },
};

function Spark({ busy }: { busy: readonly number[] }) {
  const bars = [...Array.from({ length: HOURS }, () => 0), ...busy].slice(-HOURS);
  const label = words.value.agents.busyLabel(
    bars.map((share) => `${Math.round(share * 100)} %`).join(', '),
  );
  return (
    <svg class="spark" viewBox="0 0 72 18" role="img" aria-label={label}>
      {bars.map((share, index) => {
        const height = Math.max(1, share * 18);
        const last = index === bars.length - 1;
        return (
          <rect
            key={index}
            class={last ? 'l' : ''}
            x={index * 9}
            y={18 - height}
            width="6"
            height={height}
            rx="1"
          />
        );
      })}
    </svg>
  );
}

function Action({ member }: { member: Member }) {
  const text = words.value.agents;
  const { agent, doing } = member;
  if (isStopped(doing)) {
    return (
      <button type="button" class="btn" onClick={() => showCommand(agent)}>
        {text.command}
      </button>
    );
  }
  if (!canAct() || !offers('pause_one')) return null;
  const paused = pausedScopes().includes(agent.agent_id);
  return (
    <button type="button" class="btn" onClick={() => togglePause(agent.agent_id)}>
      {paused ? text.resume : text.pause}
    </button>
  );
}

function Holds({ member }: { member: Member }) {
  const text = words.value.agents;
  if (member.held.length === 0) return <span class="dim">{text.nothing}</span>;
  return (
    <>
      {member.held.map((card) => (
        <div key={card.task_id}>
          <a href={taskPath(card.task_id)} title={card.title}>
            {reference(card)}
          </a>
          <small>
            {card.question || card.lease === null ? (
              words.value.now.paused
            ) : (
              <Left until={card.lease.expires_at} wrap={words.value.time.left} />
            )}
          </small>
        </div>
      ))}
    </>
  );
}

type Figures = Flow['agents'][number];

function Row({
  member,
  figures,
  busy,
  costs,
}: {
  member: Member;
  figures: Figures | undefined;
  busy: readonly number[];
  costs: boolean;
}) {
  const text = words.value.agents;
  const { agent, doing } = member;
  const { glyph, tone } = LOOKS[doing];
  const bad = (figures?.failed ?? 0) + (figures?.expired ?? 0);
  const ended = bad + (figures?.completed ?? 0);
  return (
    <tr>
      <td>
        <span class="agent-name">{agent.agent_id}</span>
      </td>
      <td>
        <span class={`st ${tone}`}>
          <Glyph name={glyph} />
          {text.states[doing]}
        </span>
      </td>
      <td>
        <div class="caps">
          {agent.capabilities.map((name) => (
            <Label key={name} name={name} />
          ))}
        </div>
      </td>
      <td>
        <Holds member={member} />
      </td>
      <td>
        <Spark busy={busy} />
      </td>
      <td class="num">{figures?.completed ?? 0}</td>
      <td class="num">{ended === 0 ? '–' : `${Math.round((bad / ended) * 100)} %`}</td>
      <td class="num">
        {typeof figures?.median_ms === 'number' ? duration(figures.median_ms) : '–'}
      </td>
      {costs ? (
        <td class="num">
          {figures === undefined || figures.cost_usd === 0 ? '–' : dollars(figures.cost_usd)}
        </td>
      ) : null}
      <td class="num">
        <Age since={agent.last_seen_at} ago />
      </td>
      <td class="num">
        <Action member={member} />
      </td>
    </tr>
  );
}

function NoAgents() {
  const text = words.value.agents;
  return (
    <div class="panel empty">
      <svg
        viewBox="0 0 44 44"
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        aria-hidden="true"
      >
        <rect x="8" y="14" width="28" height="21" rx="3" />
        <path d="M22 7v7M16 23v3M28 23v3" />
      </svg>
      <h2>{text.noneTitle}</h2>
      <p>{text.none(queue.value?.by_state.ready ?? 0)}</p>
      <Copy text={workCommand(null, location.origin)} />
      <p class="dim">{text.noneMore}</p>
    </div>
  );
}

type Shown = 'all' | 'active' | 'stopped';

const SHOWN: Readonly<Record<Shown, (member: Member) => boolean>> = {
  all: () => true,
  active: ({ doing }) => !isStopped(doing),
  stopped: ({ doing }) => isStopped(doing),
};

function Table({ members }: { members: readonly Member[] }) {
  const text = words.value.agents;
  const figures = useMemo(
    () => new Map(today.value?.agents.map((each) => [each.agent_id, each])),
    [today.value],
  );
  const busy = useMemo(
    () => new Map(lastHours.value?.agents.map((each) => [each.agent_id, each.busy])),
    [lastHours.value],
  );
  const costs = today.value?.agents.some(({ cost_usd }) => cost_usd > 0) ?? false;
  return (
    <div
      class="panel table-scroll"
      tabIndex={0}
      role="region"
      aria-label={words.value.views.agents}
    >
      <table class="agents">
        <thead>
          <tr>
            <th scope="col">{text.agent}</th>
            <th scope="col">{text.now}</th>
            <th scope="col">{text.capabilities}</th>
            <th scope="col">{text.holds}</th>
            <th scope="col">{text.busy}</th>
            <th scope="col" class="num">
              {text.done}
            </th>
            <th scope="col" class="num">
              {text.failed}
            </th>
            <th scope="col" class="num">
              {text.median}
            </th>
            {costs ? (
              <th scope="col" class="num">
                {text.cost}
              </th>
            ) : null}
            <th scope="col" class="num">
              {text.seen}
            </th>
            <th scope="col">
              <span class="sr">{text.action}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <Row
              key={member.agent.agent_id}
              member={member}
              figures={figures.get(member.agent.agent_id)}
              busy={busy.get(member.agent.agent_id) ?? []}
              costs={costs}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Agents() {
  const { agents: text, views } = words.value;
  const all = fleet.value;
  const count = (test: (member: Member) => boolean) => all.filter(test).length;
  const shown = (route.value.query.get('show') ?? 'all') as Shown;
  const members = all.filter(SHOWN[shown] ?? SHOWN.all);

  useEffect(() => {
    const read = () => void refresh().catch(() => undefined);
    read();
    const timer = setInterval(read, REFRESH_MS);
    return () => clearInterval(timer);
  }, [twoDays.value]);

  return (
    <div class="view">
      <div class="view-head">
        <h1>{views.agents}</h1>
        {all.length === 0 ? null : (
          <span class="dim">
            {text.summary(
              count(({ doing }) => isBusy(doing)),
              count(({ doing }) => doing === 'waiting'),
              count(({ doing }) => doing === 'stopped'),
            )}
          </span>
        )}
        <div class="end">
          {all.length === 0 ? null : (
            <span class="seg" role="group" aria-label={text.show}>
              {(['all', 'active', 'stopped'] as const).map((each) => (
                <button
                  key={each}
                  type="button"
                  aria-pressed={each === shown}
                  onClick={() => setQuery({ show: each === 'all' ? null : each })}
                >
                  {text[each](count(SHOWN[each]))}
                </button>
              ))}
            </span>
          )}
          <button type="button" class="btn" onClick={() => showCommand(null)}>
            {text.add}
          </button>
        </div>
      </div>
      {all.length === 0 ? (
        <NoAgents />
      ) : members.length === 0 ? (
        <p class="panel panel-body dim">{text.noMatch}</p>
      ) : (
        <Table members={members} />
      )}
    </div>
  );
}
