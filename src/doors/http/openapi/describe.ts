// A route's schema for fastify and OpenAPI: the request, the answer, and the errors it can give.

import { type TSchema, Type } from 'typebox';
import { ErrorAnswer } from '../../schema/error.ts';
import { errorExamples, exampleOf } from './example.ts';

type Tag = 'agents' | 'tasks' | 'issues' | 'operators' | 'state' | 'server';

interface Description {
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly answer: TSchema;
  /** JSON, where nothing else is said. */
  readonly media?: string;
  readonly noContent?: string;
  /** Beside those that every call can give. */
  readonly errors?: readonly (404 | 409 | 429)[];
}

interface Inputs {
  readonly body?: TSchema;
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  readonly headers?: TSchema;
}

interface Answer {
  readonly description: string;
  readonly content: Readonly<
    Record<
      string,
      { readonly schema: TSchema; readonly example?: unknown; readonly examples?: object }
    >
  >;
}

type Described<P> = Omit<P, keyof Description> & { readonly response: Record<number, unknown> };

const NO_QUERY = Type.Object({}, { additionalProperties: false });
const ALWAYS = [400, 401, 403, 413, 500, 503];
const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request is wrong; nothing was changed',
  401: 'A token is needed, or the one given is not valid',
  403: 'The token, or the page the request comes from, may not do this',
  404: 'There is no such thing',
  409: 'The lease is lost (stop working on the task), or the state does not allow it',
  413: 'The body or the address is too large',
  415: 'The body is not JSON',
  429: 'This agent has too many requests waiting',
  500: 'A fault of the server; its log has the details',
  503: 'Not now: the store is away, hand-out is paused, or the server stops. Try again after the seconds in Retry-After',
};

export function answerOf(schema: TSchema, description: string, media = 'application/json'): Answer {
  return { description, content: { [media]: { schema, example: exampleOf(schema) } } };
}

function errorAnswers(statuses: readonly number[], tag: Tag): [number, Answer][] {
  return statuses.map((status) => [
    status,
    {
      description: MEANINGS[status] ?? 'An error',
      content: {
        'application/json': { schema: ErrorAnswer, examples: errorExamples(status, tag) },
      },
    },
  ]);
}

/** Keeps the exact types of body, params, query and headers, so that handlers are typed by them. */
export function describe<P extends Inputs>(call: Description & P): Described<P> {
  const { tag, answer, media, noContent, errors = [], ...rest } = call;
  const statuses = [...ALWAYS, ...errors, ...(call.body === undefined ? [] : [415])];
  const response = {
    200: answerOf(answer, call.summary, media),
    ...(noContent === undefined ? {} : { 204: Type.Null({ description: noContent }) }),
    ...Object.fromEntries(errorAnswers(statuses, tag)),
  };
  // An address with parameters that nobody reads is a mistake, and is told so. Probes may add what they like.
  const querystring = call.querystring ?? (tag === 'server' ? undefined : NO_QUERY);
  const described = { ...rest, ...(querystring && { querystring }), tags: [tag], response };
  return described as unknown as Described<P>;
}
