// Issues as the forge showed them last, the newest of them in memory: a hand-out needs one, and mostly of an issue
// that was mirrored not long ago. Bounded by length, not by number. What is read from the file is not put here: it is
// hardly ever wanted twice before it is mirrored again, and keeping it cost more than reading it.

import type { Issue } from '../../core/issue.ts';
import type { Archive } from '../memory/archive.ts';

const MOST_CHARACTERS = 24_000_000;
/** What an issue takes beside its title and body, roughly. */
const FRAME = 600;

const sizeOf = ({ title, body }: Issue): number => FRAME + title.length + body.length;

export function withPictureCache(archive: Archive, most = MOST_CHARACTERS): Archive {
  /** What came last; when that is half of what may be kept, it becomes `earlier`, and what was that goes. */
  let recent = new Map<number, Issue>();
  let earlier = new Map<number, Issue>();
  let size = 0;

  function put(seq: number, picture: Issue): void {
    earlier.delete(seq);
    if (sizeOf(picture) > most / 2) {
      recent.delete(seq);
      return;
    }
    recent.set(seq, picture);
    size += sizeOf(picture);
    if (size <= most / 2) return;
    [earlier, recent, size] = [recent, new Map(), 0];
  }

  return {
    ...archive,
    picture: (seq) => recent.get(seq) ?? earlier.get(seq) ?? archive.picture(seq),
    write(changes) {
      // Not before it is kept: a write that fails must leave what was shown before.
      archive.write(changes);
      for (const { seq, picture } of changes.issues) if (picture !== null) put(seq, picture);
    },
  };
}
