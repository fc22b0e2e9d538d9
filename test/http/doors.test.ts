import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve as serveHono } from '@hono/node-server';
import express, { type ErrorHandler, type Router } from 'express';
import fastify, { type FastifyInstance } from 'fastify';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type NodeHandler, nodeHandler } from '../../src/node/index.js';
import { fetchHandler } from '../../src/server/http/index.js';
import type { Server } from '../../src/server/index.js';
import { createGate } from './gate.js';
import { LegacyClient } from './legacy-client.js';
import { ModernClient } from './modern-client.js';
import { serve, serverWith } from './serve.js';
import { SseClient } from './sse-client.js';

/** The ways to put a server on a socket. Each starts one and returns its URL. */
const DOORS: Record<string, (server: Server) => Promise<string>> = {
  listen: async server => (await serve(server)).url,
  'node:http': server => onNode(server, handler => handler),
  'Express, app.all': server => onExpress(server, (app, handler) => app.all('/mcp', handler)),
  'Express, app.use': server => onExpress(server, (app, handler) => app.use('/mcp', handler)),
  'Express, a router': server =>
    onExpress(server, (app, handler) => app.use('/mcp', express.Router().use('/', handler))),
  'Express, parsed by express.json': server =>
    onExpress(server, (app, handler) => app.use(express.json()).all('/mcp', handler)),
  'Express, read by express.text': server =>
    onExpress(server, (app, handler) => app.use(express.text({ type: '*/*' })).all('/mcp', handler)),
  'Express, read by express.raw': server =>
    onExpress(server, (app, handler) => app.use(express.raw({ type: '*/*' })).all('/mcp', handler)),
  'Express, with a parser that sets a body and reads nothing': server =>
    onExpress(server, (app, handler) =>
      app
        .use((request: IncomingMessage, _response: unknown, next: () => void) => {
          Object.assign(request, { body: {} });
          next();
        })
        .all('/mcp', handler),
    ),
  Fastify: server => onFastify(server, (app, handler) => app.all('/mcp', handler)),
  'Fastify, in a handler of the app': server =>
    onFastify(server, (app, handler) => app.all('/mcp', async (request, reply) => handler(request, reply))),
  'Fastify, without a parser of its own': server =>
    onFastify(server, (app, handler) => {
      app.removeAllContentTypeParsers();
      app.addContentTypeParser('*', (_request, _payload, done) => done(null));
      app.all('/mcp', handler);
    }),
  'Fastify, read as text': server =>
    onFastify(server, (app, handler) => {
      app.removeAllContentTypeParsers();
      app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
      app.all('/mcp', handler);
    }),
  'Fastify, with the request and response of Node': server =>
    onFastify(server, (app, handler) =>
      app.all('/mcp', (request, reply) => {
        reply.hijack();
        handler(Object.assign(request.raw, { body: request.body }), reply.raw);
      }),
    ),
  'fetch, behind node:http': onFetch,
  Hono: onHono,
};

describe.for(Object.entries(DOORS))('a server on %s', ([, open]) => {
  test('passes the scenario of a session', async () => {
    const finish = createGate();
    const server = scenario(finish.passed);
    const client = await LegacyClient.open(await open(server), {
      revision: '2025-11-25',
      capabilities: { roots: {} },
    });
    expect((await client.call('greet', { name: 'Zoë 🎈' })).result.content[0].text).toBe('Hello Zoë 🎈');

    const notices = await client.notices();
    await client.request('resources/subscribe', { uri: 'note://a' });
    server.resourceChanged('note://a');
    expect((await notices.message()).params.uri).toBe('note://a');

    const work = await client.stream('work');
    expect((await work.message()).params.data).toBe('begun');
    work.cut();
    const again = await client.resume(work.lastId!);
    finish.open();
    const question = await again.message();
    expect(question.method).toBe('roots/list');
    expect((await client.answer(question.id!, { roots: [] })).status).toBe(202);
    expect((await again.message()).result.content[0].text).toBe('0 roots');

    expect((await client.post('{"jsonrpc":')).status).toBe(400);
    expect((await client.delete()).status).toBe(204);
    expect(await notices.ended()).toBe(true);
    expect((await client.request('ping')).status).toBe(404);
  });

  test('passes the scenario of a client without a session', async () => {
    const aborted = createGate();
    const server = scenario(Promise.resolve(), () => aborted.open());
    const client = new ModernClient(await open(server));
    expect((await client.call('greet', { name: 'Zoë 🎈' })).result.content[0].text).toBe('Hello Zoë 🎈');
    expect((await client.call('greet', {}, { headers: { 'mcp-name': 'other' } })).status).toBe(400);
    expect((await client.request('no/such/method')).status).toBe(404);

    const changes = await client.listen({ toolsListChanged: true }, 'l');
    expect((await changes.message()).method).toBe('notifications/subscriptions/acknowledged');
    server.tool('new', {}, () => 'new');
    expect((await changes.message()).method).toBe('notifications/tools/list_changed');
    changes.cut();

    const progress = await client.stream('endless', {}, { meta: { progressToken: 1 } });
    expect((await progress.message()).params.progress).toBe(1);
    progress.cut();
    await aborted.passed;
  });
});

describe('a server under Express', () => {
  test('serves the old transport under paths of the app', async () => {
    const url = await onExpress(
      scenario(Promise.resolve()),
      (app, handler) => app.use(express.json()).use(handler),
      {
        sse: true,
      },
    );
    const client = await SseClient.open(new URL('/sse', url).href);
    await client.call(1, 'greet', { name: 'Zoë' });
    expect((await client.stream.message()).result.content[0].text).toBe('Hello Zoë');
  });

  test('leaves the rest of the app alone', async () => {
    const url = await onExpress(scenario(Promise.resolve()), (app, handler) => {
      app.get('/health', (_request, response) => response.send('ok'));
      app.all('/mcp', handler);
    });
    expect(await (await fetch(new URL('/health', url))).text()).toBe('ok');
    expect((await fetch(new URL('/elsewhere', url))).status).toBe(404);
  });
});

test('a handler that gets a body which others have read, and no trace of it, says so', async () => {
  const url = await onFastify(scenario(Promise.resolve()), (app, handler) =>
    app.all('/mcp', (request, reply) => {
      reply.hijack();
      handler(request.raw, reply.raw);
    }),
  );
  const { status, error } = await new ModernClient(url).call('greet', { name: 'Zoë' });
  expect(status).toBe(500);
  expect(error?.message).toMatch(
    /^the body was read before the handler got the request; pass on the request/,
  );
});

/** What every door must let through: JSON, streams, questions, resumption, cancellation, text beyond ASCII. */
function scenario(finish: Promise<void>, onAbort: () => void = () => {}): Server {
  return serverWith(server => {
    const input = { type: 'object', properties: { name: { type: 'string' } } } as const;
    server.tool('greet', { input }, ({ name }) => `Hello ${name}`);
    server.tool('work', {}, async (_args, ctx) => {
      ctx.log.info('begun');
      await finish;
      return `${(await ctx.roots()).length} roots`;
    });
    server.tool('endless', {}, async (_args, ctx) => {
      ctx.signal.addEventListener('abort', onAbort);
      ctx.progress(1);
      await new Promise(() => {});
    });
    server.resource('note://a', {}, () => 'a');
  });
}

async function onNode(
  server: Server,
  wrap: (handler: NodeHandler) => RequestListener,
  options = {},
): Promise<string> {
  const handler = nodeHandler(server, options);
  const http = createServer(wrap(handler));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(async () => {
    await handler.close(0);
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

function onExpress(
  server: Server,
  mount: (app: Router, handler: NodeHandler) => void,
  options = {},
): Promise<string> {
  const wrap = (handler: NodeHandler) => {
    const app = express();
    mount(app, handler);
    // What a body parser refuses is the app's to answer.
    const answerError: ErrorHandler = (error, _request, response, _next) => {
      response.status(error.status ?? 500).json({ error: String(error) });
    };
    return app.use(answerError) as unknown as RequestListener;
  };
  return onNode(server, wrap, options);
}

async function onFastify(
  server: Server,
  mount: (app: FastifyInstance, handler: NodeHandler) => void,
): Promise<string> {
  const handler = nodeHandler(server);
  const app = fastify();
  mount(app, handler);
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(async () => {
    await handler.close(0);
    app.server.closeAllConnections();
    await app.close();
  });
  return `${origin}/mcp`;
}

/** The fetch door on a socket: a small bridge such as the frameworks have it. */
async function onFetch(server: Server): Promise<string> {
  const handler = fetchHandler(server);
  const http = createServer(async (incoming, outgoing) => {
    const controller = new AbortController();
    outgoing.on('close', () => controller.abort());
    const body: Buffer[] = await incoming.toArray();
    const response = await handler(
      new Request(`http://${incoming.headers.host}${incoming.url}`, {
        method: incoming.method!,
        headers: incoming.headers as Record<string, string>,
        ...(body.length > 0 && { body: Buffer.concat(body) }),
        signal: controller.signal,
      }),
    );
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    try {
      for await (const chunk of response.body ?? []) outgoing.write(chunk);
      outgoing.end();
    } catch {
      outgoing.destroy();
    }
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(async () => {
    await handler.close(0);
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

async function onHono(server: Server): Promise<string> {
  const handler = fetchHandler(server);
  const app = new Hono();
  app.all('/mcp', context => handler(context.req.raw));
  const http = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  await once(http, 'listening');
  onTestFinished(async () => {
    await handler.close(0);
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}
