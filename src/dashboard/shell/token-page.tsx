// Asked once where tokens are needed; the token stays with the tab.

import { useRef } from 'preact/hooks';
import { useToken } from '../data/live.ts';
import { Copy } from '../parts/copy.tsx';
import { Mark } from '../parts/marks.tsx';
import { words } from '../words/words.ts';

export function TokenPage({ wrong }: { wrong: boolean }) {
  const field = useRef<HTMLInputElement>(null);
  const { token } = words.value;
  return (
    <main class="token-page">
      <form
        class="panel"
        onSubmit={(event) => {
          event.preventDefault();
          const secret = field.current?.value.trim() ?? '';
          if (secret !== '') void useToken(secret);
        }}
      >
        <Mark size={28} />
        <h1>{token.title}</h1>
        <p class="ink2">{token.text}</p>
        <label for="token">{token.label}</label>
        <input
          ref={field}
          id="token"
          class="field"
          type="password"
          autocomplete="off"
          autofocus
          aria-invalid={wrong}
          aria-describedby={wrong ? 'token-wrong' : undefined}
        />
        {wrong ? (
          <p id="token-wrong" class="shu" role="alert">
            {token.wrong}
          </p>
        ) : null}
        <button type="submit" class="btn primary">
          {token.use}
        </button>
        <p class="dim">{token.how}</p>
        <Copy text="banto token create --operator" />
      </form>
    </main>
  );
}
