// The HTTP side of the double: one request from the wire to its answer, through log, identity, limits, faults,
// handler, ETag and rate headers.

import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Acts } from '../acts/acts.ts';
import { byId } from '../routes/account.ts';
import { Moved } from '../routes/issues.ts';
import { type Answer, type Call, type Found, Refusal } from '../routes/route.ts';
import type { Shapes } from '../shapes/shapes.ts';
import { hasRole, type Repo, type World } from '../state.ts';
import type { Auth, Identity } from './auth.ts';
import { ANSWERS, type Fault, type FaultAnswer, type Faults } from './faults.ts';
import { type Limits, Waiting } from './limits.ts';
import { pageOf } from './pages.ts';

export interface Request {
  readonly at: number;
  readonly method: string;
  /** Without the `/api/v3` of Enterprise. */
  readonly path: string;
  readonly query: string;
  readonly operation: string;
  readonly body: unknown;
  readonly login: string | null;
  /** 0: it was never answered. */
  status: number;
  /** Whether the handler ran and changed something, whatever the caller saw. */
  written: boolean;
}

export interface Parts {
  readonly world: World;
  readonly auth: Auth;
  readonly limits: Limits;
  readonly faults: Faults;
  readonly acts: Acts;
  readonly shapes: () => Shapes;
  readonly find: (method: string, path: string) => Found | null;
  readonly log: Request[];
  /** Milliseconds that every answer takes. */
  readonly latencyMs: () => number;
}

interface Sent extends FaultAnswer {
  readonly fate?: 'truncated' | 'aborted';
}

const NEVER = new Promise<never>(() => {});

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Refusal(400, 'Problems parsing JSON');
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());

export function createGithubServer(parts: Parts): Server {
  const { world, auth, limits, faults, log } = parts;

  const repoOf = (call: Call, who: Identity): Repo => {
    const name = `${call.params['owner']}/${call.params['repo']}`.toLowerCase();
    const repo = world.repos.get(name);
    const renamed = world.renamed.get(name);
    if (repo === undefined && renamed !== undefined) {
      const rest = call.target.pathname.split('/repos/')[1]?.split('/').slice(2) ?? [];
      throw new Moved(
        [`${call.api}/repositories/${renamed.id}`, ...rest].join('/') + call.target.search,
      );
    }
    if (repo === undefined || (who.kind !== 'app' && !auth.canSee(who, repo))) {
      throw new Refusal(404, 'Not Found');
    }
    return repo;
  };

  const handle = (found: Found, call: Call): Answer => {
    const { route } = found;
    if (!route.operation.includes('{repo}'))
      return route.handle(call, undefined as unknown as Repo);
    const repo = repoOf(call, call.who);
    if (route.auth !== 'jwt') auth.permit(call.who, route, repo);
    return route.handle(call, repo);
  };

  /** The faults that come before the write; those left come after. */
  const before = async (
    met: readonly Fault[],
    socket: { destroy: () => void },
  ): Promise<Sent | null> => {
    for (const fault of met) if (fault.kind === 'latency') await pause(fault.ms);
    for (const fault of met) {
      if (fault.kind === 'hang') return NEVER;
      if (fault.kind === 'answer') return fault.answer;
      if (fault.kind === 'reset') {
        socket.destroy();
        return NEVER;
      }
    }
    return null;
  };

  const after = (met: readonly Fault[], answer: Sent, socket: { destroy: () => void }) => {
    for (const fault of met) {
      if (fault.kind === 'lost') {
        if (fault.how === 'bad_gateway') return ANSWERS.badGateway;
        if (fault.how !== 'hang') socket.destroy();
        return NEVER;
      }
      if (fault.kind === 'truncated') {
        return { ...answer, fate: fault.abort === true ? 'aborted' : 'truncated' } as const;
      }
    }
    return answer;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const origin = `http://${request.headers.host}`;
    const target = new URL(request.url ?? '/', origin);
    const prefix = /^\/api(\/v3)?(?=\/)/.exec(target.pathname)?.[0] ?? '';
    const path = byId(world.repos.values(), target.pathname.slice(prefix.length));
    const method = request.method ?? 'GET';
    const found = parts.find(method, path);
    const entry: Request = {
      at: world.now(),
      method,
      path,
      query: target.search,
      operation: found?.route.operation ?? `${method} ${path}`,
      body: null,
      login: null,
      status: 0,
      written: false,
    };
    log.push(entry);
    let who: Identity | null = null;
    let budget: ReturnType<Limits['enter']> | null = null;
    const sent = await (async (): Promise<Sent> => {
      try {
        const body = await bodyOf(request);
        Object.assign(entry, { body });
        const page = found === null && method === 'GET' ? pageOf(world, path) : null;
        if (page !== null) return { status: 200, html: page };
        if (found === null) throw new Refusal(404, 'Not Found');
        who = auth.identify(request.headers.authorization, found.route);
        Object.assign(entry, { login: who.account.login });
        budget = limits.enter(who, found.route);
        response.once('close', budget.leave);
        if (parts.latencyMs() > 0) await pause(parts.latencyMs());
        const { operation } = entry;
        const met = faults.meet({ operation, method, path });
        const instead = await before(met, socket);
        if (instead !== null) return instead;
        const stale = met.find((fault) => fault.kind === 'stale');
        const me = who;
        const version = world.changes();
        const answer = handle(found, {
          params: found.params,
          query: target.searchParams,
          body,
          api: `${origin}${prefix}`,
          target,
          who: me,
          world,
          acts: parts.acts,
          shapes: parts.shapes(),
          canWrite: (repo) =>
            me.kind === 'installation' || hasRole(repo, me.account.login, 'write'),
          staleAt: stale === undefined ? null : world.now() - stale.minutes * 60_000,
        });
        entry.written = world.changes() !== version;
        return await after(met, answer, socket);
      } catch (error) {
        if (error instanceof Moved) {
          return { ...error.answer, headers: { location: error.location } };
        }
        if (error instanceof Waiting) {
          return { ...error.answer, headers: { 'retry-after': `${error.retryAfter}` } };
        }
        if (error instanceof Refusal) return error.answer;
        throw error;
      }
    })();
    write(request, response, entry, sent, who, budget);
  };

  const write = (
    request: IncomingMessage,
    response: ServerResponse,
    entry: Request,
    sent: Sent,
    who: Identity | null,
    budget: ReturnType<Limits['enter']> | null,
  ) => {
    const seconds = Number(sent.headers?.['retry-after'] ?? 0);
    if (who !== null && seconds > 0) limits.hold(who, seconds);
    const body = sent.html ?? (sent.body === undefined ? '' : JSON.stringify(sent.body));
    const headers: Record<string, string> = {
      date: new Date(world.now()).toUTCString(),
      server: 'github.com',
      'x-github-request-id': randomBytes(8).toString('hex').toUpperCase(),
      'x-github-media-type': 'github.v3; format=json',
    };
    let { status } = sent;
    if (status === 200 && entry.method === 'GET') {
      const hash = createHash('sha256')
        .update(body)
        .update(sent.headers?.['link'] ?? '');
      // GitHub's answers sorted by update never compare equal.
      if (entry.query.includes('sort=updated')) hash.update(headers['x-github-request-id'] ?? '');
      const etag = `"${hash.digest('hex')}"`;
      headers['etag'] = `W/${etag}`;
      headers['cache-control'] = 'private, max-age=60, s-maxage=60';
      if (request.headers['if-none-match']?.replace('W/', '') === etag) {
        status = 304;
        budget?.refund();
      }
    }
    if (who !== null) Object.assign(headers, limits.headers(who, entry.operation));
    if (who?.scopes) headers['x-oauth-scopes'] = who.scopes.join(', ');
    const needs = parts.find(entry.method, entry.path)?.route.needs;
    if (needs !== undefined) {
      const level = entry.method === 'GET' ? 'read' : 'write';
      // Semicolons part the alternatives.
      headers['x-accepted-github-permissions'] = needs.map((one) => `${one}=${level}`).join('; ');
    }
    Object.assign(headers, sent.headers);
    entry.status = status;
    if (status === 204 || status === 304) return void response.writeHead(status, headers).end();
    headers['content-type'] =
      sent.html === undefined ? 'application/json; charset=utf-8' : 'text/html; charset=utf-8';
    const half = body.slice(0, Math.floor(body.length / 2));
    const whole = sent.fate === 'truncated' ? half : body;
    headers['content-length'] = `${Buffer.byteLength(whole)}`;
    response.writeHead(status, headers);
    if (sent.fate === 'aborted') response.write(half, () => request.socket.destroy());
    else response.end(whole);
  };

  return createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      // A defect of the double, not of GitHub: say so loudly.
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      response
        .writeHead(599, { 'content-type': 'text/plain' })
        .end(`the double failed: ${message}`);
    });
  });
}
