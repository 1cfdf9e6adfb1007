// Theme, language, token, and the help of the keyboard.

import { canAct, togglePause } from '../data/actions.tsx';
import { keepToken, token } from '../data/api.ts';
import { flags, session } from '../data/state.ts';
import { ask } from '../parts/dialog.tsx';
import { chooseLanguage, language, words } from '../words/words.ts';
import { chooseTheme, THEMES, theme } from './theme.ts';

function Choice(props: {
  label: string;
  options: readonly { readonly value: string; readonly label: string }[];
  value: string;
  choose: (value: string) => void;
}) {
  return (
    <div class="choice">
      <span>{props.label}</span>
      <span class="seg" role="group" aria-label={props.label}>
        {props.options.map(({ value, label }) => (
          <button
            key={value}
            type="button"
            aria-pressed={value === props.value}
            onClick={() => props.choose(value)}
          >
            {label}
          </button>
        ))}
      </span>
    </div>
  );
}

function Menu() {
  const { menu, shell } = words.value;
  const paused = flags.value?.maintenance === true;
  return (
    <div class="menu">
      <Choice
        label={menu.theme}
        value={theme.value}
        options={THEMES.map((value) => ({ value, label: menu[value] }))}
        choose={(value) => chooseTheme(value as (typeof THEMES)[number])}
      />
      <Choice
        label={menu.language}
        value={language.value}
        options={[
          { value: 'en', label: 'English' },
          { value: 'ja', label: '日本語' },
        ]}
        choose={chooseLanguage}
      />
      <div class="choice">
        <span>{menu.token}</span>
        {token.value === null ? (
          <span class="dim">{menu.noToken}</span>
        ) : (
          <button
            type="button"
            class="btn"
            onClick={() => {
              keepToken(null);
              window.location.reload();
            }}
          >
            {menu.forget}
          </button>
        )}
      </div>
      <div class="actions">
        {canAct() ? (
          <button type="button" class="btn phone-only" onClick={() => togglePause()}>
            {paused ? shell.resume : shell.pause}
          </button>
        ) : null}
        <button type="button" class="btn" onClick={openKeys}>
          {menu.keys}
        </button>
        <a class="btn" href="/docs" target="_blank" rel="noreferrer">
          {menu.api}
        </a>
      </div>
      <p class="dim">{menu.version(session.value?.version ?? '')}</p>
    </div>
  );
}

export function openMenu(): void {
  const { shell, menu } = words.value;
  ask({ title: shell.menu, content: <Menu />, safe: menu.close });
}

function Keys() {
  const { keys, views } = words.value;
  const groups: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
    [
      keys.go,
      [
        [views.overview, 'g o'],
        [views.board, 'g b'],
        [views.timeline, 'g t'],
        [views.agents, 'g a'],
        [views.flow, 'g f'],
      ],
    ],
    [
      keys.move,
      [
        [keys.nextPrevious, 'j k'],
        [keys.leftRight, 'h l'],
        [keys.open, 'Enter'],
        [keys.back, 'Esc'],
        [keys.find, '/'],
      ],
    ],
    [
      keys.act,
      [
        [keys.requeue, 'r'],
        [keys.release, 'u'],
        [keys.priority, 'p'],
        [keys.cancel, 'x'],
        [keys.why, 'w'],
      ],
    ],
    [
      keys.everywhere,
      [
        [keys.answer, 'a'],
        [keys.pause, 'Shift P'],
        [keys.theme, 'Shift T'],
        [keys.zoom, '+ -'],
        [keys.help, '?'],
      ],
    ],
  ];
  return (
    <div class="keys">
      {groups.map(([title, rows]) => (
        <section key={title}>
          <h3>{title}</h3>
          <ul>
            {rows.map(([what, how]) => (
              <li key={how}>
                <span>{what}</span>
                <span>
                  {how.split(' ').map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

export function openKeys(): void {
  const { keys, menu } = words.value;
  ask({ title: keys.title, content: <Keys />, safe: menu.close, wide: true });
}
