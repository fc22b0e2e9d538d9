import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import { SERVICE } from '../../src/protocol/service.js';
import { type ClientCapabilities, Server, type Session } from '../../src/server/index.js';
import { Pipe } from '../../src/server/pipe.js';
import { connectRaw } from '../raw-client.js';
import { createGate } from './gate.js';
import { LegacyClient } from './legacy-client.js';
import { serve } from './serve.js';

const EVERYTHING: ClientCapabilities = { roots: { listChanged: true }, sampling: {}, elicitation: {} };
const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25'];

/** A client of a handshake revision that can be reached outside of its requests. */
interface Reachable {
  session: Session;
  next(): Promise<JsonObject>;
  send(message: object): Promise<unknown>;
}

function listening(): { server: Server; initialized: Promise<Session> } {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  const gate = createGate<Session>();
  server.notification('notifications/initialized', (_, { session }) => session && gate.open(session));
  return { server, initialized: gate.passed };
}

async function overHttp(revision: string, capabilities = EVERYTHING): Promise<Reachable> {
  const { server, initialized } = listening();
  const { url } = await serve(server);
  const client = await LegacyClient.open(url, { revision, capabilities });
  const stream = await client.notices();
  const session = await initialized;
  return { session, next: () => stream.message() as never, send: message => client.post(message) };
}

async function overPipe(revision: string, capabilities = EVERYTHING): Promise<Reachable> {
  const { server, initialized } = listening();
  const sent: JsonObject[] = [];
  let arrived = () => {};
  const pipe = new Pipe(server[SERVICE], text => {
    sent.push(JSON.parse(text));
    arrived();
  });
  const next = async () => {
    while (sent.length === 0)
      await new Promise<void>(resolve => {
        arrived = resolve;
      });
    return sent.shift() as JsonObject;
  };
  const send = (message: object) => pipe.receive(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const clientInfo = { name: 'test', version: '1' };
  await send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: revision, capabilities, clientInfo },
  });
  await next();
  await send({ method: 'notifications/initialized' });
  return { session: await initialized, next, send };
}

describe.each([
  ['a GET stream', overHttp],
  ['a pipe', overPipe],
])('outside of a request, over %s', (_, open) => {
  test.each(REVISIONS)('a session logs at its level on %s', async revision => {
    const { session, next, send } = await open(revision);
    session.log.debug('not asked for');
    session.log.info({ tables: 3 }, 'floor');
    const params = { level: 'info', logger: 'floor', data: { tables: 3 } };
    expect(await next()).toEqual({ jsonrpc: '2.0', method: 'notifications/message', params });
    await send({ jsonrpc: '2.0', id: 7, method: 'logging/setLevel', params: { level: 'error' } });
    session.log.info('no longer asked for');
    session.log.error('the kitchen burns');
    const later = await next();
    const message = later.id === 7 ? await next() : later;
    expect(message.params).toEqual({ level: 'error', data: 'the kitchen burns' });
  });

  test.each(REVISIONS)('a client is pinged on %s', async revision => {
    const { session, next, send } = await open(revision);
    const pinged = session.ping();
    const { id, method } = await next();
    expect(method).toBe('ping');
    await send({ jsonrpc: '2.0', id, result: {} });
    await pinged;
  });

  test.each(REVISIONS)('a client is asked for its roots and its model on %s', async revision => {
    const { session, next, send } = await open(revision);
    const roots = session.ask({ method: 'roots/list' });
    const question = await next();
    expect(question).toMatchObject({ method: 'roots/list', params: {} });
    await send({ jsonrpc: '2.0', id: question.id, result: { roots: [{ uri: 'file:///home' }] } });
    expect(await roots).toEqual({ roots: [{ uri: 'file:///home' }] });

    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hi' } }];
    const said = session.ask({ method: 'sampling/createMessage', params: { messages, maxTokens: 1 } });
    const asked = await next();
    const result = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hello' } };
    await send({ jsonrpc: '2.0', id: asked.id, result });
    expect(await said).toEqual(result);
  });

  test('a user is asked', async () => {
    const { session, next, send } = await open('2025-06-18');
    const requestedSchema = { type: 'object', properties: { guests: { type: 'integer' } } };
    const answer = session.ask({
      method: 'elicitation/create',
      params: { message: 'How many?', requestedSchema },
    });
    const question = await next();
    expect(question.params).toEqual({ message: 'How many?', requestedSchema });
    await send({ jsonrpc: '2.0', id: question.id, result: { action: 'decline' } });
    expect(await answer).toEqual({ action: 'decline' });
  });

  test('nothing is asked that the client did not declare, or that is malformed', async () => {
    const { session } = await open('2025-06-18', {});
    await expect(session.ask({ method: 'roots/list' })).rejects.toThrow('"roots"');
    await expect(session.ask({ method: 'roots/lst' } as never)).rejects.toThrow('the question is malformed');
  });

  test('an answer of another kind is refused', async () => {
    const { session, next, send } = await open('2025-06-18');
    const refused = expect(session.ask({ method: 'roots/list' })).rejects.toThrow(
      "the client's answer to roots/list is not a result of roots/list",
    );
    await send({ jsonrpc: '2.0', id: (await next()).id, result: { action: 'accept' } });
    await refused;
  });
});

test('a handler of roots/list_changed asks for the roots', async () => {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  const got = createGate<unknown>();
  server.notification('notifications/roots/list_changed', async (_, { session }) => {
    got.open(await session?.ask({ method: 'roots/list' }));
  });
  const { url } = await serve(server);
  const client = await LegacyClient.open(url, { revision: '2025-06-18', capabilities: EVERYTHING });
  const stream = await client.notices();
  await client.notify('notifications/roots/list_changed');
  const question = await stream.message();
  await client.answer(question.id as number, { roots: [] });
  expect(await got.passed).toEqual({ roots: [] });
});

test('a client without a GET stream cannot be asked, and logs are dropped', async () => {
  const { server, initialized } = listening();
  const { url } = await serve(server);
  await LegacyClient.open(url, { revision: '2025-06-18', capabilities: EVERYTHING });
  const session = await initialized;
  session.log.info('nobody hears this');
  const failure = { kind: 'connection', message: expect.stringContaining('has no open GET stream') };
  await expect(session.ask({ method: 'roots/list' })).rejects.toMatchObject(failure);
  await expect(session.ping()).rejects.toMatchObject(failure);
});

test('the stateless revision has no session to ask', async () => {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  let session: Session | undefined;
  server.tool('look', {}, (_, ctx) => {
    session = ctx.session;
  });
  await (await connectRaw(server)).request('tools/call', { name: 'look' });
  expect(session).toBeUndefined();
});
