// The callers of the HTTP benchmark: one socket each and no more parsing than the answers need, so that what is
// measured is the server and not its client.

import { connect, type Socket } from 'node:net';

interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Caller {
  post(path: string, body: object): Promise<Answer>;
  get(path: string): Promise<Answer>;
  close(): void;
}

const END_OF_HEAD = '\r\n\r\n';

/** Null: more is to come. */
function readAnswer(received: string): Answer | null {
  const headEnd = received.indexOf(END_OF_HEAD);
  if (headEnd < 0) return null;
  const head = received.slice(0, headEnd);
  const status = Number(head.slice(9, 12));
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  const text = received.slice(headEnd + END_OF_HEAD.length);
  // The answers of the benchmark are ASCII: characters are bytes.
  return text.length < length ? null : { status, text };
}

export function createCaller(url: string): Caller {
  const { hostname, port, host } = new URL(url);
  const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.setEncoding('latin1');
  let received = '';
  let asked: PromiseWithResolvers<Answer> | null = null;
  socket.on('data', (chunk: string) => {
    received += chunk;
    const answer = readAnswer(received);
    if (answer === null) return;
    received = '';
    asked?.resolve(answer);
  });
  socket.on('error', (error) => asked?.reject(error));
  socket.on('close', () => asked?.reject(new Error('the server closed the connection')));

  function call(method: string, path: string, body: string): Promise<Answer> {
    asked = Promise.withResolvers<Answer>();
    const type = body === '' ? '' : 'content-type: application/json\r\n';
    socket.write(
      `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${type}content-length: ${body.length}${END_OF_HEAD}${body}`,
    );
    return asked.promise;
  }

  return {
    post: (path, body) => call('POST', path, JSON.stringify(body)),
    get: (path) => call('GET', path, ''),
    close: () => socket.destroy(),
  };
}
