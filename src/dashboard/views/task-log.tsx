// The log of the attempt, where the server keeps one. It follows until the reader scrolls up.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { words } from '../words/words.ts';

const POLL_MS = 2000;
const NEAR_PX = 24;

export function Log({ taskId, live }: { taskId: string; live: boolean }) {
  const { task: text } = words.value;
  const place = useRef<HTMLPreElement>(null);
  const [log, setLog] = useState<string>('');
  const [follows, setFollows] = useState(true);

  useEffect(() => {
    let gone = false;
    async function read(): Promise<void> {
      try {
        const page = await api.log(taskId);
        const lines = page.lines?.map((line) => line.text).join('\n') ?? page.text ?? '';
        if (!gone) setLog(lines);
      } catch {
        // There is none for this task.
      }
    }
    void read();
    const timer = live ? setInterval(() => void read(), POLL_MS) : null;
    return () => {
      gone = true;
      if (timer !== null) clearInterval(timer);
    };
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
