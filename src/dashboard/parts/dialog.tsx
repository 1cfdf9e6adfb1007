// One dialog at a time. The title is the question, the list says what follows, the safe button has the focus, and
// Esc keeps everything as it is.

import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { words } from '../words/words.ts';

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly kind: 'text' | 'lines' | 'number' | 'choice';
  readonly value: string;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  readonly required?: boolean;
}

export interface Ask {
  readonly title: string;
  readonly list?: readonly string[];
  readonly fields?: readonly Field[];
  readonly content?: ComponentChildren;
  readonly safe: string;
  readonly act?: {
    readonly label: string;
    readonly danger?: boolean;
    /** The dialog closes when it ends; it says itself how it went. */
    readonly run: (values: Readonly<Record<string, string>>) => Promise<void>;
  };
  readonly wide?: boolean;
}

const open = signal<Ask | null>(null);

export function ask(question: Ask): void {
  open.value = question;
}

export function isAsking(): boolean {
  return open.value !== null;
}

function FieldOf({ field, first }: { field: Field; first: boolean }) {
  const shared = { name: field.name, class: 'field', autofocus: first };
  return (
    <label>
      {field.label}
      {field.kind === 'choice' ? (
        <select {...shared}>
          {field.options?.map(({ value, label }) => (
            <option key={value} value={value} selected={value === field.value}>
              {label}
            </option>
          ))}
        </select>
      ) : field.kind === 'lines' ? (
        <textarea {...shared} rows={6} defaultValue={field.value} />
      ) : (
        <input
          {...shared}
          type="text"
          inputMode={field.kind === 'number' ? 'decimal' : 'text'}
          pattern={field.kind === 'number' ? '[0-9]+([.][0-9]+)?' : undefined}
          defaultValue={field.value}
          maxLength={2000}
          required={field.required === true}
        />
      )}
    </label>
  );
}

function Open({ question }: { question: Ask }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const { act, fields = [], list = [] } = question;

  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);

  const close = () => {
    open.value = null;
  };

  async function run(event: Event): Promise<void> {
    event.preventDefault();
    if (act === undefined || busy || form.current === null) return;
    const values = Object.fromEntries(
      [...new FormData(form.current)].map(([name, value]) => [
        name,
        typeof value === 'string' ? value : '',
      ]),
    );
    setBusy(true);
    try {
      await act.run(values);
    } finally {
      if (open.value === question) close();
    }
  }

  // A form to fill in begins at its first field; a question to answer begins at the safe button.
  const filling = fields.length > 0 && act?.danger !== true;
  return (
    <dialog
      ref={dialog}
      class={question.wide === true ? 'dialog wide' : 'dialog'}
      role={act?.danger === true ? 'alertdialog' : 'dialog'}
      aria-labelledby="dialog-title"
      aria-describedby={list.length === 0 ? undefined : 'dialog-list'}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <form ref={form} onSubmit={(event) => void run(event)}>
        <div class="in">
          <h2 id="dialog-title">{question.title}</h2>
          {list.length === 0 ? null : (
            <ul id="dialog-list">
              {list.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          )}
          {fields.map((field, index) => (
            <FieldOf key={field.name} field={field} first={filling && index === 0} />
          ))}
          {question.content}
        </div>
        <div class="foot">
          <button type="button" class="btn" autofocus={!filling} onClick={close}>
            {question.safe}
          </button>
          {act === undefined ? null : (
            <button
              type="submit"
              class={`btn ${act.danger === true ? 'danger' : 'primary'}`}
              disabled={busy}
            >
              {busy ? words.value.act.doing : act.label}
            </button>
          )}
        </div>
      </form>
    </dialog>
  );
}

export function Dialogs() {
  return open.value === null ? null : <Open key={open.value.title} question={open.value} />;
}
