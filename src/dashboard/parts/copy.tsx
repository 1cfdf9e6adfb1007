// A command to copy.

import { useState } from 'preact/hooks';
import { words } from '../words/words.ts';
import { Glyph } from './marks.tsx';

export function Copy({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  const { agents } = words.value;
  // Only where the browser allows it: over plain HTTP on another machine it does not.
  const may = window.isSecureContext;
  return (
    <div class="copy">
      <code tabIndex={0}>{text}</code>
      {may ? (
        <button
          type="button"
          class="btn"
          onClick={() => {
            void navigator.clipboard.writeText(text).then(() => setCopied(true));
          }}
        >
          <Glyph name={copied ? 'ok' : 'copy'} />
          {copied ? agents.copied : agents.copy}
        </button>
      ) : null}
    </div>
  );
}
