// A filter that shows what it filters by, with the browser's own list of choices inside.

import { setQuery } from '../../data/route.ts';
import { words } from '../../words/words.ts';

export function FilterChip(props: {
  name: string;
  label: string;
  value: string | null;
  options: readonly { readonly value: string; readonly label: string }[];
  clearable?: boolean;
}) {
  const { name, label, value, options, clearable = true } = props;
  if (options.length === 0 || (options.length === 1 && value === null)) return null;
  const chosen = options.find((option) => option.value === value)?.label ?? value;
  return (
    <label class={value === null ? 'chip' : 'chip on'}>
      {chosen === null ? label : `${label}: ${chosen}`}
      <select
        aria-label={label}
        value={value ?? ''}
        onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
      >
        {clearable ? <option value="">{words.value.board.any}</option> : null}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}
