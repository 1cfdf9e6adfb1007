// The top bar and, on a phone, the tabs at the bottom.

import { canAct, togglePause } from '../data/actions.tsx';
import { needs } from '../data/derived.ts';
import { connection } from '../data/live.ts';
import { boardAddress, PATHS, route, type View } from '../data/route.ts';
import { flags, mayAct, session } from '../data/state.ts';
import { Glyph, type GlyphName, Mark } from '../parts/marks.tsx';
import { words } from '../words/words.ts';
import { Find } from './find.tsx';
import { openMenu } from './menu.tsx';

type Tab = Exclude<View, 'task'>;
const TABS: readonly Tab[] = ['overview', 'board', 'timeline', 'agents', 'flow'];
const ICONS: Readonly<Record<Tab, GlyphName>> = {
  overview: 'home',
  board: 'board',
  timeline: 'time',
  agents: 'agent',
  flow: 'flow',
};

function currentTab(): Tab {
  // A task is opened from the board and belongs to it.
  return route.value.view === 'task' ? 'board' : route.value.view;
}

function Badge() {
  const count = needs.value.length;
  if (count === 0) return null;
  return (
    <span class="badge">
      {count}
      <span class="sr">{words.value.shell.needYou}</span>
    </span>
  );
}

function Links({ icons }: { icons: boolean }) {
  const current = currentTab();
  return (
    <>
      {TABS.map((tab) => (
        <a
          key={tab}
          href={tab === 'board' ? boardAddress.value : PATHS[tab]}
          aria-current={tab === current ? 'page' : undefined}
        >
          {icons ? <Glyph name={ICONS[tab]} /> : null}
          {words.value.views[tab]}
          {tab === 'overview' ? <Badge /> : null}
        </a>
      ))}
    </>
  );
}

function Live() {
  const { shell } = words.value;
  const { state } = connection.value;
  const word =
    state === 'live' ? shell.live : state === 'starting' ? shell.starting : shell.notLive;
  return (
    <span class={state === 'live' ? 'live' : 'live not'} role="status">
      <i />
      {word}
    </span>
  );
}

export function Bar() {
  const { shell, viewsNav } = words.value;
  const paused = flags.value?.maintenance === true;
  return (
    <header class="bar">
      <a class="brand" href="/">
        <Mark />
        Banto
      </a>
      <nav class="tabs" aria-label={viewsNav}>
        <Links icons={false} />
      </nav>
      <div class="bar-end">
        {session.value !== null && !mayAct.value ? (
          <span class="label" title={shell.readOnlyWhy}>
            {shell.readOnly}
          </span>
        ) : null}
        <Live />
        <Find id="find" />
        {mayAct.value ? (
          <span class="desk">
            <button type="button" class="btn" disabled={!canAct()} onClick={() => togglePause()}>
              <Glyph name={paused ? 'play' : 'pause'} />
              {paused ? shell.resume : shell.pause}
            </button>
          </span>
        ) : null}
        <button
          type="button"
          class="btn quiet"
          aria-label={shell.menu}
          title={shell.menu}
          onClick={openMenu}
        >
          <Glyph name="more" />
        </button>
      </div>
    </header>
  );
}

export function TabBar() {
  return (
    <nav class="tabbar" aria-label={words.value.viewsNav}>
      <Links icons />
    </nav>
  );
}
