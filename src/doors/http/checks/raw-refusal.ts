// What the HTTP parser refuses never becomes a request: its answer is written by hand.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { ERROR_TABLE, type ErrorCode } from '../../../core/errors.ts';
import type { ErrorAnswer } from '../../schema/error.ts';
import { ANSWER_HEADERS } from './guard.ts';

const TOO_LARGE = new Set(['HPE_HEADER_OVERFLOW', 'HPE_CHUNK_EXTENSIONS_OVERFLOW']);

function rawAnswer(code: ErrorCode, sentence: string): string {
  const answer: ErrorAnswer = { error: sentence, code };
  const body = JSON.stringify(answer);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...ANSWER_HEADERS,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${ERROR_TABLE[code].status} ${code}\r\n${lines.join('')}\r\n${body}`;
}

function refusalOf(code: string | undefined): string {
  if (TOO_LARGE.has(code ?? '')) {
    return rawAnswer('too_large', 'The address and headers are larger than allowed.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return rawAnswer('invalid_request', 'The request did not arrive in time.');
  }
  return rawAnswer('invalid_request', 'This is not a valid HTTP request.');
}

interface RawRefusal {
  readonly watch: (server: Server) => void;
  readonly refuse: (error: { code?: string }, socket: Socket) => void;
}

export function createRawRefusal(): RawRefusal {
  const unanswered = new WeakMap<Socket, number>();
  const add = (socket: Socket, change: number): void => {
    unanswered.set(socket, (unanswered.get(socket) ?? 0) + change);
  };
  return {
    watch(server) {
      // Node would answer an expectation it does not know by itself; it is no reason to refuse.
      server.on('checkExpectation', (request, response) => {
        server.emit('request', request, response);
      });
      server.on('request', ({ socket }, response) => {
        add(socket, 1);
        response.once('close', () => add(socket, -1));
      });
    },
    refuse({ code }, socket) {
      // Behind a request that is still being answered, a 400 would be taken for that one's answer.
      const open = (unanswered.get(socket) ?? 0) > 0;
      if (open || code === 'ECONNRESET' || !socket.writable) socket.destroy();
      else socket.end(refusalOf(code));
    },
  };
}
