// Arguments of one call, written straight into the bytes that go to Redis: a step has thousands of them, and a list of
// texts would be made, measured and joined by the client for each.

import { Command } from 'ioredis';

export interface Arguments {
  text(value: string): void;
  int(value: number): void;
  texts(values: readonly string[]): void;
  /** A whole command, for whoever sends more than one at once. */
  command(words: readonly string[]): void;
}

/** All arguments of one call. What could not be filled in leaves nothing for the next one. */
export type WriteArguments = (fill: (to: Arguments) => void) => WrittenArguments;

export interface WrittenArguments {
  readonly count: number;
  readonly bytes: Buffer;
}

/** What a character needs in UTF-8 at most, and what stands around a text. */
const MOST_BYTES = 3;
const AROUND = 16;
/** What stands before a text, by its length. */
const HEADERS = Array.from({ length: 1000 }, (_, value) => [...Buffer.from(`$${value}\r\n`)]);
const LINE_END = 0x0a0d;

export function createArguments(size = 65_536): WriteArguments {
  let bytes = Buffer.allocUnsafe(size);
  let end = 0;
  let count = 0;

  function reserve(more: number): void {
    if (end + more <= bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * bytes.length, end + more));
    bytes.copy(larger, 0, 0, end);
    bytes = larger;
  }

  function length(value: number): void {
    const known = HEADERS[value];
    if (known === undefined) end += bytes.write(`$${value}\r\n`, end);
    else
      for (const byte of known) {
        bytes[end] = byte;
        end += 1;
      }
  }

  function text(value: string): void {
    reserve(MOST_BYTES * value.length + AROUND);
    const begin = end;
    length(value.length);
    let written = bytes.write(value, end);
    if (written !== value.length) {
      // Not plain ASCII: its length is known only now.
      end = begin;
      length(written);
      written = bytes.write(value, end);
    }
    end += written;
    bytes.writeUInt16LE(LINE_END, end);
    end += 2;
    count += 1;
  }

  function command(words: readonly string[]): void {
    reserve(AROUND);
    end += bytes.write(`*${words.length}\r\n`, end, 'latin1');
    for (const word of words) text(word);
  }

  const args: Arguments = {
    text,
    int: (value) => text(String(value)),
    texts(values) {
      for (const value of values) text(value);
    },
    command,
  };

  return (fill) => {
    end = 0;
    count = 0;
    fill(args);
    return { count, bytes: Buffer.from(bytes.subarray(0, end)) };
  };
}

/** A call whose arguments are texts first, and then what was written already. */
export class WrittenCommand extends Command {
  private readonly more: WrittenArguments;

  constructor(name: string, first: string[], more: WrittenArguments) {
    super(name, first, { replyEncoding: 'utf8' });
    this.more = more;
  }

  override toWritable(): Buffer {
    const { count, bytes } = this.more;
    const words = [this.name, ...(this.args as string[])];
    const first = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('');
    return Buffer.concat([Buffer.from(`*${words.length + count}\r\n${first}`), bytes]);
  }
}

/**
 * Commands that nobody wants an answer of, in one write: Redis is asked to be silent meanwhile. The one answer says that
 * they were read. `key` says which node of a Cluster they are for.
 */
export class SilentCommands extends Command {
  private readonly bytes: Buffer;

  constructor(key: string, bytes: Buffer) {
    super('GET', [key], { replyEncoding: 'utf8' });
    this.bytes = bytes;
  }

  override toWritable(): Buffer {
    return this.bytes;
  }
}
