// One example for each answer of the API page, made from its schema: a field that is added later has one
// by itself. What a field is called says what stands in it.

import type { TSchema } from 'typebox';
import { BUSY_SENTENCE, type ErrorCode } from '../../../core/errors.ts';
import { ErrorAnswer } from '../../schema/error.ts';

interface Shape {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly format?: string;
  readonly minimum?: number;
}

const NAMED: Readonly<Record<string, unknown>> = {
  title: 'Keep the session after a failed login',
  body: '## Deliverables\n\n- A failed login says why\n',
  issue_url: 'https://github.com/octo/shop/issues/7',
  url: 'file:///home/mona/shop/backlog/0007-login.md',
  repository: 'octo/shop',
  labels: ['backend'],
  capabilities: ['backend', 'go'],
  branch_name: 'feature/issue-7',
  prompt: 'Work on this issue in the branch feature/issue-7. …',
  token: 'VvdJtBwmzQhOqZ1r5pC3',
  agent_id: 'agent-1',
  number: 7,
  issue_id: 7,
  pr_number: 12,
  blocked_by: [3],
  round: 1,
  fence: 1794863820000001,
  seconds: 600,
  attempts: 0,
  attempt: 1,
  priority: 50,
  handoff: null,
  problem: null,
  reason: null,
  detail: 'The task is ready.',
  summary: 'Login keeps the session now.',
  rule: 'state',
  version: '0.1.0',
  uptime_seconds: 12.5,
  error: null,
  state: 'ready',
  priority_name: 'normal',
  only_agent: null,
  opens_at: null,
  ready_at: null,
  ended_at: null,
  lease: null,
  result: null,
  authors: [],
  blocked_until: null,
  status: 'active',
  next_cursor: null,
  review_comments: [],
  comments: [],
  counters: { handed_out: 12, completed: 9 },
  start: '2026-11-15',
  excluded_labels: ['epic', 'story', 'blocked', 'wontfix', 'needs-human'],
  deliverables_headings: ['Deliverables', 'Acceptance criteria'],
};

function allows(shape: Shape, value: unknown): boolean {
  if (shape.anyOf !== undefined) return shape.anyOf.some((one) => allows(one, value));
  if (shape.const !== undefined) return shape.const === value;
  if (shape.enum !== undefined) return shape.enum.includes(value);
  if (value === null) return shape.type === 'null';
  if (Array.isArray(value)) return shape.type === 'array';
  const type = typeof value;
  if (type === 'number') return shape.type === 'number' || shape.type === 'integer';
  return shape.type === type;
}

function fromName(shape: Shape, name: string): { value: unknown } | null {
  if (!Object.hasOwn(NAMED, name)) return null;
  const value = NAMED[name];
  return allows(shape, value) ? { value } : null;
}

function build(shape: Shape, name: string): unknown {
  const named = fromName(shape, name);
  if (named !== null) return named.value;
  if (shape.examples !== undefined) return shape.examples[0];
  if (shape.const !== undefined) return shape.const;
  if (shape.enum !== undefined) return shape.enum[0];
  if (shape.anyOf !== undefined) {
    return build(shape.anyOf.find((one) => one.type !== 'null') ?? {}, name);
  }
  if (shape.type === 'array') return [build(shape.items ?? {}, name.replace(/s$/, ''))];
  if (shape.type === 'object') {
    const fields = Object.entries(shape.properties ?? {});
    return Object.fromEntries(fields.map(([key, field]) => [key, build(field, key)]));
  }
  if (shape.type === 'boolean') return true;
  if (shape.type === 'integer' || shape.type === 'number') return shape.minimum ?? 1;
  return shape.type === 'null' ? null : name || 'text';
}

export function exampleOf(schema: TSchema): unknown {
  return build(schema, '');
}

interface Failure {
  readonly code: ErrorCode;
  readonly error: string;
}

const NOT_FOUND: Readonly<Record<string, string>> = {
  agents: 'There is no task octo~shop~9~implement.1. List the tasks to see the ids there are.',
  issues: 'There is no issue #9 in the backlog.',
  state: 'No agent agent-9 has asked for work yet.',
  operators: 'There is no setting max_atempts. There are: max_attempts, …',
};

const FAILURES: Readonly<Record<number, readonly Failure[]>> = {
  400: [
    { code: 'invalid_request', error: 'The field `agent_id` is missing. Expected: 1–50 of A-Z …' },
  ],
  401: [
    {
      code: 'unauthenticated',
      error: 'A token is needed: send the header `Authorization: Bearer <token>`.',
    },
  ],
  403: [{ code: 'forbidden', error: 'This call needs a token with operator scope.' }],
  409: [
    {
      code: 'lease_lost',
      error: 'The lease of octo~shop~7~implement.1 is lost: stop working on it.',
    },
    {
      code: 'conflict',
      error: 'The task octo~shop~7~implement.1 is done: it cannot be requeued.',
    },
  ],
  413: [{ code: 'too_large', error: 'The body is larger than allowed.' }],
  415: [
    {
      code: 'unsupported_media_type',
      error: 'The body must be JSON with the header `Content-Type: application/json`.',
    },
  ],
  429: [{ code: 'too_many_requests', error: 'agent-1 has 4 requests waiting already.' }],
  500: [
    {
      code: 'internal',
      error: 'Something went wrong inside the server. The log has the details.',
    },
  ],
  503: [{ code: 'busy', error: BUSY_SENTENCE }],
};

/** Named examples of an error answer, by its code. */
export function errorExamples(
  status: number,
  tag: string,
): Record<string, { readonly value: object }> {
  const missing = NOT_FOUND[tag] ?? NOT_FOUND['agents'] ?? '';
  const failures: readonly Failure[] =
    status === 404 ? [{ code: 'not_found', error: missing }] : (FAILURES[status] ?? []);
  const { properties = {} } = ErrorAnswer as unknown as Shape;
  const saysWhy = status === 503 && Object.hasOwn(properties, 'detail');
  return Object.fromEntries(
    failures.map(({ code, error }) => [
      code,
      { value: { error, code, ...(saysWhy ? { detail: 'Redis is away since 12 s.' } : {}) } },
    ]),
  );
}
