// The page: bar, banners, one view.

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { connection } from './data/live.ts';
import { route, type View } from './data/route.ts';
import { loaded } from './data/state.ts';
import { Dialogs } from './parts/dialog.tsx';
import { Toasts } from './parts/toasts.tsx';
import { Banners } from './shell/banners.tsx';
import { Bar, TabBar } from './shell/bar.tsx';
import { TokenPage } from './shell/token-page.tsx';
import { Board } from './views/board/board.tsx';
import { Overview } from './views/overview/overview.tsx';
import { words } from './words/words.ts';

/** Views that need more code are loaded when they are first opened. */
const LATER: Partial<Record<View, () => Promise<ComponentType>>> = {
  timeline: async () => (await import('./views/timeline/timeline.tsx')).Timeline,
  agents: async () => (await import('./views/agents.tsx')).Agents,
  flow: async () => (await import('./views/flow.tsx')).Flow,
  task: async () => (await import('./views/task/task.tsx')).Task,
};

function Lazy({ load }: { load: () => Promise<ComponentType> }) {
  const [View, setView] = useState<ComponentType | null>(null);
  useEffect(() => {
    let gone = false;
    async function show(): Promise<void> {
      try {
        const found = await load();
        if (!gone) setView(() => found);
      } catch {
        // A new version was installed: its files have other names.
        window.location.reload();
      }
    }
    void show();
    return () => {
      gone = true;
    };
  }, [load]);
  return View === null ? null : <View />;
}

function Shown() {
  const { view } = route.value;
  if (!loaded.value) return <div class="view loading" aria-busy="true" />;
  if (view === 'overview') return <Overview />;
  if (view === 'board') return <Board />;
  const load = LATER[view];
  return load === undefined ? <Overview /> : <Lazy key={view} load={load} />;
}

export function App() {
  const state = connection.value;
  const { view } = route.value;
  useEffect(() => {
    document.title = view === 'overview' ? 'Banto' : `${words.value.views[view]} · Banto`;
  }, [view, words.value]);
  if (state.state === 'token') return <TokenPage wrong={state.wrong} />;
  return (
    <div class={`app v-${view}`}>
      <a class="skip" href="#content">
        {words.value.shell.skip}
      </a>
      <Bar />
      <Banners />
      <main id="content" tabIndex={-1}>
        <Shown />
      </main>
      <TabBar />
      <Toasts />
      <Dialogs />
    </div>
  );
}
