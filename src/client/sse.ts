// Server-sent events, from text to frames (the parsing rules of the HTML standard).

export interface Frame {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/** Feed it text as it comes; it returns the frames that are complete. */
export function createSseParser(): (chunk: string) => Frame[] {
  let buffer = '';
  let id: string | null = null;
  let event = '';
  let data: string[] = [];

  function take(line: string): Frame | null {
    if (line === '') {
      const frame =
        data.length === 0 ? null : { id, event: event || 'message', data: data.join('\n') };
      event = '';
      data = [];
      return frame;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
    return null;
  }

  return (chunk) => {
    buffer += chunk;
    const frames: Frame[] = [];
    for (;;) {
      // A lone CR at the end may be the first half of CRLF: it waits for what follows.
      const end = /\r\n|\n|\r(?=[^])/.exec(buffer);
      if (end === null) return frames;
      const frame = take(buffer.slice(0, end.index));
      buffer = buffer.slice(end.index + end[0].length);
      if (frame !== null) frames.push(frame);
    }
  };
}
