// Where the logs of attempts are kept. Places are bytes from the beginning of the attempt; a text written twice
// at the same place is there once, so that a repeated call is harmless.

export interface LogPage {
  /** Where these bytes begin: later than asked for where the beginning was cut. */
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** How long the log is. */
  readonly size: number;
}

export interface LogStore {
  /** How long the log is now. */
  append(taskId: string, fence: number, offset: number, bytes: Uint8Array): Promise<number>;
  /** Null: there is no such log. */
  read(taskId: string, fence: number, offset: number, limit: number): Promise<LogPage | null>;
  /** Fences of the attempts that have a log, rising. */
  fences(taskId: string): Promise<number[]>;
  /** Drops logs that nobody wrote to for so long. */
  forget(keptMs: number): Promise<void>;
}

/** A log is kept in segments: the oldest ones are cut off where it grows past its bound. */
export const LOG_SEGMENT_BYTES = 262_144;
export const LOG_SEGMENTS_KEPT = 8;

export interface Piece {
  readonly segment: number;
  /** Where in the segment. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** How bytes at a place fall into segments. */
export function piecesOf(offset: number, bytes: Uint8Array): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  while (from < bytes.length) {
    const place = offset + from;
    const at = place % LOG_SEGMENT_BYTES;
    const segment = Math.floor(place / LOG_SEGMENT_BYTES);
    const piece = bytes.subarray(from, from + LOG_SEGMENT_BYTES - at);
    pieces.push({ segment, at, bytes: piece });
    from += piece.length;
  }
  return pieces;
}

/** The page that these segments hold, from the place asked for. */
export function pageOf(
  lengths: ReadonlyMap<number, number>,
  offset: number,
  limit: number,
): { readonly from: number; readonly to: number; readonly size: number } | null {
  if (lengths.size === 0) return null;
  const last = Math.max(...lengths.keys());
  const first = Math.min(...lengths.keys());
  const size = last * LOG_SEGMENT_BYTES + (lengths.get(last) ?? 0);
  const from = Math.min(size, Math.max(offset, first * LOG_SEGMENT_BYTES));
  return { from, to: Math.min(size, from + limit), size };
}

const CONTINUES = 0b1000_0000;
const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0b1100_0000) === CONTINUES;

/**
 * The text of a page without broken characters at its ends. `used` is how many bytes of it were read: the rest
 * belongs to a character that the next page has whole. `whole`: nothing comes after.
 */
export function textOfPage(
  bytes: Uint8Array,
  whole: boolean,
): { readonly text: string; readonly used: number } {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  let end = bytes.length;
  if (!whole) {
    let head = end - 1;
    while (head > start && end - head < 4 && isContinuation(bytes[head])) head -= 1;
    const byte = bytes[head] ?? 0;
    const long = byte >= 0b1111_0000 ? 4 : byte >= 0b1110_0000 ? 3 : byte >= 0b1100_0000 ? 2 : 1;
    if (head >= start && head + long > end) end = head;
  }
  const text = new TextDecoder().decode(bytes.subarray(start, end)).replaceAll('\0', '');
  return { text, used: end };
}
