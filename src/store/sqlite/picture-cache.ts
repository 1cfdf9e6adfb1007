// Issues as the forge showed them last, the newest of them in memory: a hand-out needs one, and mostly of an issue
// that was mirrored not long ago. Bounded by length, not by number.

import type { Issue } from '../../core/issue.ts';
import type { Archive } from '../memory/archive.ts';

const MOST_CHARACTERS = 24_000_000;
/** What an issue takes beside its title and body, roughly. */
const FRAME = 600;

const sizeOf = ({ title, body }: Issue): number => FRAME + title.length + body.length;

export function withPictureCache(archive: Archive, most = MOST_CHARACTERS): Archive {
  const cached = new Map<number, Issue>();
  let size = 0;

  function drop(seq: number): void {
    const picture = cached.get(seq);
    if (picture === undefined) return;
    cached.delete(seq);
    size -= sizeOf(picture);
  }

  function put(seq: number, picture: Issue): void {
    drop(seq);
    cached.set(seq, picture);
    size += sizeOf(picture);
    for (const oldest of cached.keys()) {
      if (size <= most) return;
      drop(oldest);
    }
  }

  return {
    ...archive,
    picture(seq) {
      const found = cached.get(seq);
      if (found !== undefined) return found;
      const picture = archive.picture(seq);
      put(seq, picture);
      return picture;
    },
    write(changes) {
      // Not before it is kept: a write that fails must leave what was shown before.
      archive.write(changes);
      for (const { seq, picture } of changes.issues) if (picture !== null) put(seq, picture);
    },
  };
}
