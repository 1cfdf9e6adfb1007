// Sends bytes over one connection and reads one answer, without tidying anything up on the way out.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  /** 0: the server closed without an answer. */
  readonly status: number;
  readonly body: string;
}

export interface RawClient {
  /** `last`: the connection is not used again. */
  send(bytes: Buffer, options: { head: boolean; last: boolean }): Promise<RawAnswer>;
  close(): void;
}

const PATIENCE_MS = 20_000;
const NONE: RawAnswer = { status: 0, body: '' };

interface Read {
  readonly answer: RawAnswer;
  readonly keep: boolean;
}

/** Null: not all of it is here yet. */
function readAnswer(bytes: Buffer, head: boolean, ended: boolean): Read | null {
  const split = bytes.indexOf('\r\n\r\n');
  if (split < 0) return null;
  const header = bytes.subarray(0, split).toString('latin1');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(header)?.[1] ?? 0);
  // 100 Continue announces the answer.
  if (status === 100) return readAnswer(bytes.subarray(split + 4), head, ended);
  const rest = bytes.subarray(split + 4);
  const keep = !/^connection: close/im.test(header);
  // A stream never ends by itself.
  if (/^content-type: text\/event-stream/im.test(header)) {
    return { answer: { status, body: '' }, keep: false };
  }
  if (head || status === 204 || status === 304) return { answer: { status, body: '' }, keep };
  const length = /^content-length: (\d+)/im.exec(header)?.[1];
  if (length === undefined) {
    const whole = ended || rest.subarray(-5).toString('latin1') === '0\r\n\r\n';
    return whole ? { answer: { status, body: rest.toString() }, keep } : null;
  }
  if (rest.length < Number(length)) return null;
  return { answer: { status, body: rest.subarray(0, Number(length)).toString() }, keep };
}

export function openRawClient(port: number): RawClient {
  let socket: Socket | null = null;

  async function opened(): Promise<Socket> {
    if (socket !== null && !socket.destroyed && socket.writable) return socket;
    const fresh = connect(port, '127.0.0.1');
    fresh.on('error', () => undefined);
    await once(fresh, 'connect');
    socket = fresh;
    return fresh;
  }

  return {
    async send(bytes, { head, last }) {
      const own = await opened();
      const { promise, resolve } = Promise.withResolvers<Read>();
      let received = Buffer.alloc(0);
      const onData = (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        const read = readAnswer(received, head, false);
        if (read !== null) resolve(read);
      };
      const onClose = () => {
        resolve(readAnswer(received, head, true) ?? { answer: NONE, keep: false });
      };
      const timer = setTimeout(
        () => resolve({ answer: { status: -1, body: '' }, keep: false }),
        PATIENCE_MS,
      );
      own.on('data', onData).on('close', onClose);
      own.write(bytes);
      const { answer, keep } = await promise;
      clearTimeout(timer);
      own.off('data', onData).off('close', onClose);
      if (!keep || last) own.destroy();
      return answer;
    },
    close: () => socket?.destroy(),
  };
}
