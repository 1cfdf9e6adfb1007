// What is not as usual with the page itself: not live, no answer, paused, too much to show.

import type { ComponentChildren } from 'preact';
import { canAct, pausedScopes, togglePause } from '../data/actions.tsx';
import { now } from '../data/clock.ts';
import { connection, lastChangeAt, tryNow } from '../data/live.ts';
import { flags, truncated } from '../data/state.ts';
import { Glyph, type GlyphName } from '../parts/marks.tsx';
import { at, duration } from '../words/time.ts';
import { words } from '../words/words.ts';

function Banner(props: {
  glyph: GlyphName;
  off?: boolean;
  children: ComponentChildren;
  button?: { readonly label: string; readonly run: () => void } | null;
}) {
  const { button = null } = props;
  return (
    <div
      class={props.off === true ? 'stale off' : 'stale'}
      role={props.off === true ? 'alert' : 'status'}
    >
      <Glyph name={props.glyph} />
      <span>{props.children}</span>
      {button === null ? null : (
        <span class="end">
          <button type="button" class="btn" onClick={button.run}>
            {button.label}
          </button>
        </span>
      )}
    </div>
  );
}

function ConnectionBanner() {
  const { shell } = words.value;
  const state = connection.value;
  const button = { label: shell.tryNow, run: tryNow };
  if (state.state === 'off') {
    return (
      <Banner glyph="dead" off button={button}>
        <b>{shell.off}</b> {shell.offSince(at('clock', state.sinceAt))}
      </Banner>
    );
  }
  if (state.state !== 'lost') return null;
  const seen = lastChangeAt.value;
  const leftMs = state.retryAt - Date.now() + (now.value - now.value);
  return (
    <Banner glyph="plug" button={button}>
      <b>{shell.lost}</b> {seen === null ? shell.noneSeen : shell.lastSeen(at('clock', seen))}{' '}
      {leftMs > 500 ? shell.tryingIn(duration(leftMs)) : shell.trying}
    </Banner>
  );
}

export function Banners() {
  const { shell } = words.value;
  const paused = flags.value?.maintenance === true;
  const scopes = pausedScopes();
  return (
    <>
      <ConnectionBanner />
      {paused ? (
        <Banner
          glyph="pause"
          button={canAct() ? { label: shell.resume, run: () => togglePause() } : null}
        >
          <b>{shell.paused}</b> {shell.pausedMore}
        </Banner>
      ) : null}
      {scopes.map((scope) => (
        <Banner
          key={scope}
          glyph="pause"
          button={canAct() ? { label: shell.resume, run: () => togglePause(scope) } : null}
        >
          <b>{shell.pausedFor(scope)}</b> {shell.pausedMore}
        </Banner>
      ))}
      {truncated.value ? <Banner glyph="info">{shell.truncated}</Banner> : null}
    </>
  );
}
