// The log of the attempt. It is read to its end, then on as it grows; it follows until the reader scrolls up.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { api, CallError } from '../../data/api.ts';
import { words } from '../../words/words.ts';

const AGAIN_MS = 2000;
const FOLLOW_SECONDS = 20;
const NEAR_PX = 24;
/** The end is what is read; a whole log may be very long. */
const LONGEST = 200_000;

const pause = () => new Promise((resolve) => setTimeout(resolve, AGAIN_MS));

/** Tells the text so far, again and again while the attempt runs, until it is aborted. */
async function follow(
  taskId: string,
  live: boolean,
  tell: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let fence = 0;
  let offset = 0;
  let text = '';
  for (let atEnd = false; !signal.aborted; ) {
    try {
      const followSeconds = live && atEnd ? FOLLOW_SECONDS : 0;
      const page = await api.log(taskId, { offset, followSeconds }, signal);
      const another = page.fence !== fence && offset > 0;
      fence = page.fence;
      if (another) {
        // Another attempt has begun, with a log of its own.
        offset = 0;
        text = '';
        atEnd = false;
        continue;
      }
      atEnd = page.next_offset === offset;
      offset = page.next_offset;
      text = (text + page.text).slice(-LONGEST);
      if (page.text !== '') tell(text);
      if (atEnd && !live) return;
      if (fence === 0) await pause();
    } catch (error) {
      if (error instanceof CallError && error.status === 404) return;
      await pause();
    }
  }
}

export function Log({ taskId, live }: { taskId: string; live: boolean }) {
  const { task: text } = words.value;
  const place = useRef<HTMLPreElement>(null);
  const [log, setLog] = useState<string>('');
  const [follows, setFollows] = useState(true);

  useEffect(() => {
    const over = new AbortController();
    void follow(taskId, live, setLog, over.signal);
    return () => over.abort();
  }, [taskId, live]);

  useLayoutEffect(() => {
    const { current } = place;
    if (current !== null && follows) current.scrollTop = current.scrollHeight;
  }, [log, follows]);

  if (log === '') return null;
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{text.log}</h2>
        {live && follows ? (
          <span class="live">
            <i />
            {text.following}
          </span>
        ) : null}
        {follows ? null : (
          <span class="end">
            <button type="button" class="btn quiet" onClick={() => setFollows(true)}>
              {text.follow}
            </button>
          </span>
        )}
      </div>
      <pre
        class="log"
        tabIndex={0}
        ref={place}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          setFollows(scrollHeight - scrollTop - clientHeight < NEAR_PX);
        }}
      >
        {log}
      </pre>
    </section>
  );
}
