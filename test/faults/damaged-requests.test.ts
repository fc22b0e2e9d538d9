import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Server } from '../../src/server/index.js';
import { answerOf, INITIALIZE, legacy, modern, openSession, post, textOf } from './messages.js';
import { type Damaged, damage } from './mutations.js';
import { ConnectionEnded, exchange, RawConnection, type RawRequest, type RawResponse } from './raw-http.js';
import { serve } from './serving.js';
import { failOnUnhandled } from './unhandled.js';

failOnUnhandled();

// `npm run test:long` damages 20,000.
const RUNS = Number(process.env.DAMAGED_REQUESTS ?? 2000);
const FORMS = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
const ANSWER = { q0: { action: 'accept', content: { guests: 2 } } };

function configure(server: Server): void {
  server.tool('echo', { input: { type: 'object', properties: { value: {} } } }, ({ value }) =>
    JSON.stringify(value),
  );
  server.tool('later', {}, async () => 'later');
  server.tool('talk', {}, (_, ctx) => {
    ctx.log.error('a word');
    ctx.progress(1);
    return 'talked';
  });
  server.tool(
    'route',
    { input: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } } },
    ({ region }) => region ?? 'nowhere',
  );
  server.tool('ask', {}, async (_, ctx) => {
    const party = await ctx.elicit('How many?', {
      type: 'object',
      properties: { guests: { type: 'integer' } },
    });
    return JSON.stringify(party);
  });
  server.resource('menu://{day}', { complete: { day: () => ['today'] } }, ({ day }) => String(day));
  server.prompt(
    'order',
    { input: { type: 'object', properties: { dish: { type: 'string' } } } },
    ({ dish }) => String(dish),
  );
}

/** Good requests of both eras, each with an id of its own. */
function goodRequests(session: string, batching: string, state: string): ((id: string) => RawRequest)[] {
  const meta = { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'debug' };
  const ref = { type: 'ref/resource', uri: 'menu://{day}' };
  const requests: [string, object][] = [
    ['tools/call', { name: 'echo', arguments: { value: ['é', { a: 1 }] } }],
    ['tools/call', { name: 'later' }],
    ['tools/call', { name: 'talk' }],
    ['resources/read', { uri: 'menu://today' }],
    ['prompts/get', { name: 'order', arguments: { dish: 'soup' } }],
    ['completion/complete', { ref, argument: { name: 'day', value: 't' } }],
    ['tools/list', {}],
  ];
  const ping = (id: string) => ({ jsonrpc: '2.0', id, method: 'ping' });
  return [
    ...requests.map(
      ([method, params]) =>
        (id: string) =>
          modern(method, params, { id, meta }),
    ),
    ...requests.map(
      ([method, params]) =>
        (id: string) =>
          legacy(
            session,
            method,
            { ...params, _meta: { progressToken: 1 } },
            { id, headers: { 'mcp-protocol-version': '2025-11-25' } },
          ),
    ),
    id =>
      modern(
        'tools/call',
        { name: 'route', arguments: { region: 'west' } },
        { id, headers: { 'mcp-param-region': 'west' } },
      ),
    id => modern('server/discover', {}, { id }),
    id => modern('tools/call', { name: 'ask' }, { id, meta: FORMS }),
    id =>
      modern('tools/call', { name: 'ask', inputResponses: ANSWER, requestState: state }, { id, meta: FORMS }),
    id => post({ jsonrpc: '2.0', id, method: 'initialize', params: INITIALIZE }),
    id => legacy(session, 'logging/setLevel', { level: 'error' }, { id }),
    id => post({ jsonrpc: '2.0', id, result: {} }, { 'mcp-session-id': session }),
    id => post([ping(id), ping(id)], { 'mcp-session-id': batching }),
  ];
}

// covers: 2026-07-28/basic/error-code-is-an-integer, 2026-07-28/basic/error-has-code-and-message
// covers: 2026-07-28/basic/messages-are-json-rpc
test(`${RUNS} damaged requests get valid answers or none, never those of others, and the server goes on`, async () => {
  const { port, errors } = await serve(configure);
  const session = await openSession(port);
  const asked = await exchange(port, modern('tools/call', { name: 'ask' }, { meta: FORMS }));
  const { requestState } = answerOf(asked).result;
  const bases = goodRequests(
    session,
    await openSession(port, { protocolVersion: '2025-03-26' }),
    requestState,
  );
  const statuses = new Map<number | 'none', number>();
  let sent = 0;

  await fc.assert(
    fc.asyncProperty(fc.nat(bases.length - 1), damage, async (base, apply) => {
      const id = `request ${++sent}`;
      const damaged = apply(bases[base]!(id));
      const responses = await send(port, damaged);
      const status = responses[0]?.status ?? 'none';
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      try {
        if (damaged.isWhole) expect(status).not.toBe('none');
        for (const response of responses) {
          expectValid(response);
          expectOwnIds(response, damaged.body);
        }
      } catch (cause) {
        throw new Error(`${cause}\nto:\n${damaged.bytes}\nwas:\n${JSON.stringify(responses)}`, { cause });
      }
    }),
    { numRuns: RUNS, seed: 20260728 },
  );

  // The damage was real: some got through, most did not, and nothing was a failure of the server.
  expect(statuses.get(200)).toBeGreaterThan(RUNS / 20);
  expect(statuses.get(400)).toBeGreaterThan(RUNS / 20);
  expect([...statuses.keys()].filter(status => typeof status === 'number' && status >= 500)).toEqual([]);
  // Some damage turns a request into an answer, which nobody waits for.
  expect(errors).toEqual([]);
  const [good] = bases;
  expect(textOf(await exchange(port, good!('the last')))).toBe('["é",{"a":1}]');
  expect(textOf(await exchange(port, legacy(await openSession(port), 'tools/call', { name: 'later' })))).toBe(
    'later',
  );
});

/** Sends a damaged request over a connection of its own, and reads all that comes back. */
async function send(port: number, { bytes, isWhole }: Damaged): Promise<RawResponse[]> {
  const connection = await RawConnection.open(port);
  connection.send(bytes);
  // Where the end of the request is damaged the server may wait for more, so it is told that there is none.
  if (!isWhole) connection.socket.end();
  const responses: RawResponse[] = [];
  try {
    do responses.push(await readResponse(connection, bytes));
    while (!isWhole);
  } catch (error) {
    if (!(error instanceof ConnectionEnded)) throw error;
  }
  connection.destroy();
  return responses;
}

/** Reads a response to its end, unless it is a stream of notices, which has none. */
async function readResponse(connection: RawConnection, request: Buffer): Promise<RawResponse> {
  const head = await connection.head();
  const isStream = head.headers.get('content-type') === 'text/event-stream';
  if (isStream && request.subarray(0, 4).toString() === 'GET ') return { ...head, body: '' };
  const pieces: Buffer[] = [];
  for await (const piece of connection.body(head)) pieces.push(piece);
  return { ...head, body: Buffer.concat(pieces).toString() };
}

/** An answer is empty, or JSON-RPC as JSON or as events; what is not the protocol's business is plain text. */
function expectValid({ status, headers, body }: RawResponse): void {
  expect(status).toBeGreaterThanOrEqual(200);
  const type = headers.get('content-type');
  if (type === undefined) return expect([status, body]).toEqual([status, '']);
  if (type === 'text/plain') return expect(status).toBe(404);
  for (const message of messagesOf({ status, headers, body })) {
    expect(message.jsonrpc).toBe('2.0');
    expect(['method' in message, 'result' in message, 'error' in message].filter(Boolean)).toHaveLength(1);
    if ('error' in message) {
      expect(message.error).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
      expect(message.error.code).not.toBe(-32603);
    }
  }
}

/** Whoever is answered has asked: an id that comes back is one that was sent. */
function expectOwnIds(response: RawResponse, body: string | undefined): void {
  if (body === undefined) return;
  const ids = messagesOf(response)
    .filter(message => 'id' in message)
    .map(({ id }) => id);
  if (ids.length === 0) return;
  const asked = [JSON.parse(body)].flat().map(message => message?.id);
  for (const id of ids) expect(asked).toContainEqual(id);
}

function messagesOf({
  headers,
  body,
}: {
  status: number;
  headers: Map<string, string>;
  body: string;
}): any[] {
  switch (headers.get('content-type')) {
    case 'application/json':
      return [JSON.parse(body)].flat();
    case 'text/event-stream':
      return [...body.matchAll(/^data: (.+)$/gm)].flatMap(([, data]) => JSON.parse(data!));
    default:
      return [];
  }
}
