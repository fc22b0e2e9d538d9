import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { answer, resultType, notification as taken } from '../../src/client/extensions/index.js';
import type { ClientExtension } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { extension, method, notification } from '../../src/server/extensions/index.js';
import { Server } from '../../src/server/index.js';
import {
  type Answer,
  type Ask,
  DISCOVERY,
  legacy,
  listenRaw,
  modern,
  welcome,
} from '../client-faults/raw-server.js';
import { serve } from '../http/serve.js';
import { connectRaw } from '../raw-client.js';

const ID = 'com.example/shelf';
const TELL = 'com.example/tell';
const PUT = 'notifications/com.example/put';
const REVISIONS = ['2025-11-25', '2026-07-28'];
const ANYTHING = z.looseObject({});

/** Declarations of the extension that are none: missing, or settings that are no object. */
const DECLARED: [string, object][] = [
  ['nothing', {}],
  ['another extension', { 'com.example/other': {} }],
  ['true as settings', { [ID]: true }],
  ['a list as settings', { [ID]: [1] }],
  ['null as settings', { [ID]: null }],
  ['a list of extensions', [ID]],
];

describe.each(REVISIONS)('a server on %s', revision => {
  function createShelf() {
    const ran: string[] = [];
    const own = extension({
      id: ID,
      methods: {
        [TELL]: method(ANYTHING, () => {
          ran.push(TELL);
          return {};
        }),
      },
      notifications: { [PUT]: notification(ANYTHING, () => void ran.push(PUT)) },
    });
    return { server: new Server({ name: 'shelf', version: '1.0.0' }, { extensions: [own] }), ran };
  }

  it.each(DECLARED)('refuses the request of a client that declares %s', async (_, extensions) => {
    const { server, ran } = createShelf();
    const client = await connectRaw(server, { revision, capabilities: { extensions } as never });
    await expect(client.request(TELL)).rejects.toMatchObject({
      code: revision === '2026-07-28' ? -32021 : -32603,
      message: `${TELL} needs the client capability "extensions.${ID}", which this client did not declare`,
      data: { requiredCapabilities: { extensions: { [ID]: {} } } },
    });
    expect(ran).toEqual([]);
  });

  it('says what is missing to a client that sends a notification without it, and runs nothing', async () => {
    const { server, ran } = createShelf();
    const { url } = await serve(server);
    const post = (message: object, headers: Record<string, string> = {}) =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': revision,
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      });
    const client = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    const opened =
      revision === '2026-07-28' ? undefined : await post({ id: 1, method: 'initialize', params: client });
    const session = opened?.headers.get('mcp-session-id');
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const response = await post(
      { method: PUT, params: revision === '2026-07-28' ? { _meta } : {} },
      session ? { 'mcp-session-id': session } : { 'mcp-method': PUT },
    );
    const message = `${PUT} needs the client capability "extensions.${ID}", which this client did not declare`;
    const data = { requiredCapabilities: { extensions: { [ID]: {} } } };
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      error: revision === '2026-07-28' ? { code: -32021, message, data } : { code: -32600, message },
    });
    expect(ran).toEqual([]);
  });
});

describe.each(REVISIONS)('a client on %s, of a server that does not declare the extension', revision => {
  const ran: string[] = [];
  const own: ClientExtension = {
    id: ID,
    requests: [TELL],
    methods: {
      'com.example/ask': answer(ANYTHING, () => {
        ran.push('ask');
        return {};
      }),
    },
    notifications: { [PUT]: taken(ANYTHING, () => void ran.push(PUT)) },
    resultTypes: {
      job: resultType(ANYTHING, () => {
        ran.push('job');
        return { content: [] };
      }),
    },
  };

  async function open(extensions: unknown, call: Answer, answered?: Answer) {
    ran.length = 0;
    const capabilities = { tools: {}, extensions };
    const answers: Record<string, Answer> = {
      'server/discover': ask => ask.result({ ...DISCOVERY, capabilities }),
      initialize: ask => welcome(ask, 's-1', capabilities),
      'tools/call': call,
      ...(answered && { POST: answered }),
    };
    if (revision !== '2026-07-28') delete answers['server/discover'];
    const raw = await listenRaw(revision === '2026-07-28' ? modern(answers) : legacy(answers));
    const client = await connect(raw.url, { revision, extensions: [own] });
    onTestFinished(async () => {
      await client.close();
      await raw.close();
    });
    return { client, raw };
  }

  it.each(DECLARED)('sends nothing where it declares %s', async (_, extensions) => {
    const { client, raw } = await open(extensions, ask => ask.text('soup'));
    expect(client.server.extension(ID)).toBeUndefined();
    await expect(client.request(TELL)).rejects.toThrow(`server capability "extensions.${ID}"`);
    expect(raw.of(TELL)).toEqual([]);
  });

  it('takes no notification and no result of it', async () => {
    let hasResult = false;
    const { client } = await open({}, ask => {
      ask.stream().event({ jsonrpc: '2.0', method: PUT, params: {} });
      const result = hasResult ? { resultType: 'job' } : { content: [{ type: 'text', text: 'soup' }] };
      ask.event(ask.resultMessage(result)).response.end();
    });
    expect(await client.callTool('cook')).toMatchObject({ content: [{ text: 'soup' }] });
    hasResult = true;
    await expect(client.callTool('cook')).rejects.toThrow(
      revision === '2026-07-28'
        ? 'the result is of an unknown type: "job"'
        : 'the result of tools/call is malformed: content must be a list',
    );
    expect(ran).toEqual([]);
  });

  // Servers of 2026-07-28 send no requests.
  if (revision === '2026-07-28') return;

  it('answers no request of it', async () => {
    let call: Ask | undefined;
    const answers: unknown[] = [];
    const { client } = await open(
      {},
      ask => {
        call = ask.stream().event({ jsonrpc: '2.0', id: 'q-1', method: 'com.example/ask', params: {} });
      },
      ask => {
        answers.push(ask.message);
        ask.send(202);
        call?.event(call.textMessage('soup')).response.end();
      },
    );
    await client.callTool('cook');
    const error = { code: -32601, message: 'method not found: com.example/ask' };
    expect(answers).toEqual([{ jsonrpc: '2.0', id: 'q-1', error }]);
    expect(ran).toEqual([]);
  });
});
