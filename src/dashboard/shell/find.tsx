// Finds tasks by number, words of the title, label or agent: on the board, as one types.

import { useRef } from 'preact/hooks';
import { go, route, setQuery } from '../data/route.ts';
import { Glyph } from '../parts/marks.tsx';
import { words } from '../words/words.ts';

export function Find({ id }: { id: string }) {
  const field = useRef<HTMLInputElement>(null);
  const { shell } = words.value;
  const onBoard = route.value.view === 'board';
  const text = onBoard ? (route.value.query.get('q') ?? '') : '';
  return (
    <form
      class="find"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const value = field.current?.value ?? '';
        if (!onBoard) go(`/board?q=${encodeURIComponent(value)}`);
        field.current?.blur();
      }}
    >
      <Glyph name="search" />
      <input
        ref={field}
        id={id}
        type="search"
        class="grow"
        aria-label={shell.find}
        placeholder={shell.find}
        value={text}
        onInput={(event) => {
          if (onBoard) setQuery({ q: event.currentTarget.value });
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') field.current?.blur();
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}
