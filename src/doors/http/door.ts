// The HTTP door: translates a request into one verb of the broker and its outcome into an answer.

import type { AddressInfo } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { Broker } from '../../broker/broker.ts';
import { BantoError } from '../../core/errors.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { createAuthenticate } from './checks/authenticate.ts';
import { createGuard } from './checks/guard.ts';
import { describeApi, routeDocs } from './openapi/docs.ts';
import { routePage } from './page/page.ts';
import { routeActivity } from './routes/activity.ts';
import { routeAgents } from './routes/agents.ts';
import { routeAnswer, routeAsk } from './routes/ask.ts';
import { routeCards } from './routes/cards.ts';
import { routeConfig, routeFlags } from './routes/config.ts';
import type { Door } from './routes/context.ts';
import type { EventStream } from './routes/event-stream.ts';
import { routeEvents } from './routes/events.ts';
import { routeIssues } from './routes/issues.ts';
import { routeComplete, routeFail, routeHeartbeat, routeRelease } from './routes/lease.ts';
import { routeAppendLog, routeLog } from './routes/log.ts';
import { routeMcp } from './routes/mcp.ts';
import type { CreateMcp } from './routes/mcp-handler.ts';
import { routeOperate } from './routes/operate.ts';
import { routeHealth, routeMetrics, routeReady } from './routes/ops.ts';
import { routeQueue } from './routes/queue.ts';
import { routeRequestTask } from './routes/request-task.ts';
import { routeSession } from './routes/session.ts';
import { routeTasks } from './routes/tasks.ts';
import { routeTokens } from './routes/tokens.ts';
import { routeWebhooks } from './routes/webhooks.ts';
import { type App, createServer } from './server.ts';
import { DEFAULT_LIMITS, type HttpLimits, type HttpSettings, isLoopback } from './settings.ts';

export interface HttpDoor {
  /** The address it listens on, as `http://host:port`. */
  listen(): Promise<string>;
  /**
   * Stops accepting, ends event streams and waits a bounded time for open answers. Open polls are the
   * broker's to answer: call `broker.stop()` at the same time.
   */
  close(): Promise<void>;
}

const API_ROUTES = [
  routeRequestTask,
  routeHeartbeat,
  routeComplete,
  routeFail,
  routeRelease,
  routeAsk,
  routeAnswer,
  routeAppendLog,
  routeLog,
  routeTasks,
  routeOperate,
  routeIssues,
  routeAgents,
  routeQueue,
  routeConfig,
  routeFlags,
  routeCards,
  routeActivity,
  routeEvents,
  routeTokens,
  routeWebhooks,
  routeSession,
];
const ROOT_ROUTES = [routeHealth, routeReady, routeMetrics, routePage, routeMcp];

function addRoutes(app: App, door: Door): void {
  const authenticate = createAuthenticate(door.broker, door.settings.tokensRequired);
  const add = (prefix: string, routes: typeof API_ROUTES) =>
    app.register(
      async (scope) => {
        scope.addHook('onRequest', authenticate);
        const typed = scope.withTypeProvider<TypeBoxTypeProvider>() as App;
        for (const route of routes) route(typed, door);
      },
      { prefix },
    );
  describeApi(app, door.settings);
  add('/api/v1', API_ROUTES);
  add('', ROOT_ROUTES);
  routeDocs(app);
}

function listenProblem(error: NodeJS.ErrnoException, where: string): BantoError {
  const problems: Record<string, string> = {
    EADDRINUSE: `${where} is already in use. Stop the other program or choose another BROKER_PORT.`,
    EACCES: `This user may not listen on ${where}. Choose a BROKER_PORT of 1024 or more.`,
    EADDRNOTAVAIL: `${where} is not an address of this machine. Check BROKER_HOST.`,
  };
  const sentence = problems[error.code ?? ''] ?? `Cannot listen on ${where}: ${error.message}`;
  return new BantoError('misconfigured', sentence, { cause: error });
}

function addressOf(app: App): string {
  const { address, family, port } = app.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

export function createHttpDoor(parts: {
  broker: Broker;
  settings: HttpSettings;
  telemetry: Telemetry;
  createMcp?: CreateMcp;
}): HttpDoor {
  const { broker, settings, telemetry, createMcp } = parts;
  if (!settings.tokensRequired && !isLoopback(settings.host)) {
    throw new BantoError(
      'misconfigured',
      `BROKER_HOST ${settings.host} can be reached from other machines: tokens are needed there.`,
    );
  }
  const limits: HttpLimits = { ...DEFAULT_LIMITS, ...settings.limits };
  const { observe, setDebug } = telemetry;
  const streams = new Set<EventStream>();
  const app = createServer(telemetry.log, limits);
  let closing: Promise<void> | null = null;
  const isClosing = (): boolean => closing !== null;

  app.decorateRequest('caller');
  app.addHook('onRequest', createGuard(settings, limits, isClosing));
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing()) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    telemetry.countAnswer(route, request.method, reply.statusCode);
    request.log.debug(
      { method: request.method, route, status: reply.statusCode, ms: reply.elapsedTime },
      'answered',
    );
    done();
  });
  addRoutes(app, {
    broker,
    settings,
    limits,
    telemetry,
    observe,
    setDebug,
    streams,
    isClosing,
    createMcp,
  });

  async function closeAll(): Promise<void> {
    for (const stream of streams) stream.end();
    const cut = setTimeout(() => app.server.closeAllConnections(), limits.closeMs);
    try {
      await app.close();
    } finally {
      clearTimeout(cut);
    }
  }

  return {
    async listen() {
      // One address only, so that `close` can reach every connection.
      const host = settings.host === 'localhost' ? '127.0.0.1' : settings.host;
      try {
        await app.listen({ host, port: settings.port, backlog: 4_096 });
      } catch (error) {
        throw listenProblem(error as NodeJS.ErrnoException, `${host}:${settings.port}`);
      }
      return addressOf(app);
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}
