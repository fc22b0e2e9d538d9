import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/node/client/index.js';
import { connected, serveRaw } from '../client-faults/connected.js';
import { type Ask, legacy } from '../client-faults/raw-server.js';
import { type Message, RawPipe } from './raw-pipe.js';
import { ScriptedServer, WAYS } from './scripted-server.js';

const REVISION = '2025-06-18';
const WELCOME = {
  protocolVersion: REVISION,
  capabilities: {},
  serverInfo: { name: 'raw', version: '1.0.0' },
};

describe('a ping that comes while the client probes', () => {
  // covers: 2025-06-18/ping/client-answers-promptly
  test('is answered on a pipe', async () => {
    let probe: Message;
    const pipe = new RawPipe((message, self) => {
      if (message.method === 'server/discover') {
        probe = message;
        self.say({ id: 'early', method: 'ping' });
      } else if (message.id === 'early') self.say({ id: probe.id, error: { code: -32601, message: 'no' } });
      else if (message.method === 'initialize') self.say({ id: message.id, result: WELCOME });
    });
    const client = await connect(pipe, { probeTimeoutMs: 600_000, onWarning: () => {} });
    onTestFinished(() => client.close());
    expect(pipe.messages[1]).toEqual({ jsonrpc: '2.0', id: 'early', result: {} });
    expect(client.revision).toBe(REVISION);
  });

  // covers: 2025-06-18/ping/client-answers-promptly
  test('is answered over HTTP', async () => {
    let probe: Ask | undefined;
    const server = await serveRaw(
      legacy({
        'server/discover': ask => {
          probe = ask.stream().event({ jsonrpc: '2.0', id: 'early', method: 'ping' });
        },
        POST: ask => {
          ask.send(202);
          const error = { code: -32601, message: 'no' };
          probe?.event({ jsonrpc: '2.0', id: probe.message.id, error });
        },
      }),
    );
    await connected(server.url, { probeTimeoutMs: 600_000 });
    expect(server.of('POST')[0]!.message).toEqual({ jsonrpc: '2.0', id: 'early', result: {} });
  });
});

describe.each(WAYS)('an invalid request of a server, %s,', way => {
  test.each([
    ['without a version of JSON-RPC', { jsonrpc: '1.0', method: 'ping' }, -32600],
    ['whose method is no text', { jsonrpc: '2.0', method: 7 }, -32600],
    ['without a method', { jsonrpc: '2.0', params: {} }, -32600],
    ['whose parameters are a list', { jsonrpc: '2.0', method: 'ping', params: [] }, -32602],
  ])('%s, is answered with an error under its id', async (_name, request, code) => {
    const server = new ScriptedServer({ revision: REVISION, capabilities: {} });
    const client = await server.connect(way, { onNotification: () => {} });
    // A request waits for the stream on which the server can ask.
    await client.ping();
    const reply = await server.ask(request as never);
    expect(reply).toMatchObject({ jsonrpc: '2.0', error: { code, message: expect.any(String) } });
  });
});
