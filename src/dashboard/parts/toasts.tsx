// What an action did, or why it did not: said once, politely, and gone by itself unless it was refused.

import { signal } from '@preact/signals';
import { words } from '../words/words.ts';
import { Glyph, type GlyphName } from './marks.tsx';

export interface Toast {
  readonly text: string;
  readonly sub?: string | undefined;
  readonly glyph?: GlyphName;
  readonly refused?: boolean;
  /** A way on, or back. */
  readonly link?: { readonly label: string; readonly run: () => void } | undefined;
}

type Shown = Toast & { readonly id: number };

const STAYS_MS = 6000;
const MOST = 4;
const toasts = signal<readonly Shown[]>([]);
let lastId = 0;

function close(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function show(toast: Toast): void {
  lastId += 1;
  const id = lastId;
  toasts.value = [...toasts.value, { ...toast, id }].slice(-MOST);
  if (toast.refused !== true) setTimeout(() => close(id), STAYS_MS);
}

function One({ toast }: { toast: Shown }) {
  const refused = toast.refused === true;
  const { link } = toast;
  return (
    <div class="toast" role={refused ? 'alert' : 'status'}>
      <span class={refused ? 'shu' : 'st-done'}>
        <Glyph name={toast.glyph ?? (refused ? 'dead' : 'ok')} />
      </span>
      <p>
        {toast.text}
        {toast.sub === undefined ? null : <span class="sub">{toast.sub}</span>}
      </p>
      {link === undefined || refused ? null : (
        <button
          type="button"
          class="btn quiet"
          onClick={() => {
            close(toast.id);
            link.run();
          }}
        >
          {link.label}
        </button>
      )}
      {refused ? (
        <button type="button" class="btn quiet" onClick={() => close(toast.id)}>
          {words.value.act.close}
        </button>
      ) : null}
    </div>
  );
}

export function Toasts() {
  return (
    <div class="toasts">
      {toasts.value.map((toast) => (
        <One key={toast.id} toast={toast} />
      ))}
    </div>
  );
}
