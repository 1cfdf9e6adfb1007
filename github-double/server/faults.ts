// Scripted trouble: which requests meet it, how often, and what happens to them.

import type { Answer } from '../routes/route.ts';

export type Fault =
  /** Answered before anything is written. */
  | { readonly kind: 'answer'; readonly answer: FaultAnswer }
  | { readonly kind: 'latency'; readonly ms: number }
  /** Never answered, nothing written. */
  | { readonly kind: 'hang' }
  /** The connection breaks before anything is written. */
  | { readonly kind: 'reset' }
  /** The write happens and its answer never arrives. */
  | { readonly kind: 'lost'; readonly how?: 'reset' | 'hang' | 'bad_gateway' }
  /** Half of the JSON, with a matching length or (`abort`) with the connection broken in the middle. */
  | { readonly kind: 'truncated'; readonly abort?: boolean }
  /** Listings say what was true so long ago. */
  | { readonly kind: 'stale'; readonly minutes: number };

export interface FaultAnswer extends Answer {
  readonly html?: string;
}

interface Where {
  /** As in GitHub's description: `POST /repos/{owner}/{repo}/git/refs`. */
  readonly operation?: string;
  readonly method?: 'read' | 'write';
  /** Matched against the path as called. */
  readonly path?: RegExp;
  /** The first matching request to meet it, counted from 1. */
  readonly nth?: number;
  /** How many requests meet it; default 1. */
  readonly times?: number;
  /** How long, on the double's clock, from now; then `times` has no default. */
  readonly forMs?: number;
}

interface Asked {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
}

interface Armed {
  readonly hits: () => number;
  readonly remove: () => void;
}

export interface Faults {
  readonly add: (fault: Fault, where?: Where) => Armed;
  readonly clear: () => void;
  /** The faults this request meets; counts it. */
  readonly meet: (asked: Asked) => Fault[];
}

export function createFaults(now: () => number): Faults {
  const rules = new Set<(asked: Asked) => Fault | null>();
  return {
    add(fault, where = {}) {
      const { operation, method, path, nth = 1, forMs } = where;
      const times = where.times ?? (forMs === undefined ? 1 : Number.POSITIVE_INFINITY);
      const until = forMs === undefined ? Number.POSITIVE_INFINITY : now() + forMs;
      let seen = 0;
      let hits = 0;
      const rule = (asked: Asked) => {
        const reads = asked.method === 'GET';
        if (operation !== undefined && operation !== asked.operation) return null;
        if (method !== undefined && (method === 'read') !== reads) return null;
        if (path?.test(asked.path) === false || now() >= until) return null;
        seen += 1;
        if (seen < nth || hits >= times) return null;
        hits += 1;
        return fault;
      };
      rules.add(rule);
      return { hits: () => hits, remove: () => void rules.delete(rule) };
    },
    clear: () => rules.clear(),
    meet: (asked) => [...rules].flatMap((rule) => rule(asked) ?? []),
  };
}

function json(status: number, message: string, more: Record<string, unknown> = {}): FaultAnswer {
  const documentation_url = 'https://docs.github.com/rest';
  return { status, body: { message, ...more, documentation_url, status: `${status}` } };
}

function html(status: number, title: string): FaultAnswer {
  const page = `<!DOCTYPE html>\n<html><head><title>${title} &middot; GitHub</title></head><body><h1>${title}</h1></body></html>\n`;
  return { status, html: page };
}

/** GitHub's own words for what goes wrong. */
export const ANSWERS = {
  serverError: json(500, 'Server Error'),
  badGateway: html(502, 'Unicorn!'),
  unavailable: html(503, 'Service Unavailable'),
  gatewayTimeout: json(
    504,
    "We couldn't respond to your request in time. Sorry about that. Please try resubmitting your request and contact us if the problem persists.",
  ),
  badCredentials: json(401, 'Bad credentials'),
  notAccessible: json(403, 'Resource not accessible by personal access token'),
  archived: json(403, 'Repository was archived so is read-only.'),
  blocked: json(403, 'User is blocked'),
  locked: json(403, 'Unable to create comment because issue is locked.'),
  samlRequired: json(
    403,
    'Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.',
  ),
  notFound: json(404, 'Not Found'),
  labelMissing: json(404, 'Label does not exist'),
  emptyRepository: json(409, 'Git Repository is empty.'),
  deleted: json(410, 'This issue was deleted'),
  issuesDisabled: json(410, 'Issues are disabled for this repo'),
  refExists: json(422, 'Reference already exists'),
  refInvalid: json(422, 'refs/heads/.. is not a valid ref name.'),
  refConflict: json(422, 'Reference update failed'),
  refForbidden: json(
    422,
    'Repository rule violations found\n\nCannot create ref due to creations being restricted.\n\n',
  ),
  objectMissing: json(422, 'Object does not exist'),
  labelRefused: json(422, 'Validation Failed', {
    errors: [{ resource: 'Label', field: 'name', code: 'invalid' }],
  }),
  spam: json(422, 'Validation Failed', {
    errors: [{ resource: 'IssueComment', code: 'custom', message: 'was submitted too quickly' }],
  }),
} as const satisfies Record<string, FaultAnswer>;

export function secondaryLimit(retryAfterSeconds: number, status: 403 | 429 = 403): FaultAnswer {
  const message =
    'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
  return { ...json(status, message), headers: { 'retry-after': `${retryAfterSeconds}` } };
}
