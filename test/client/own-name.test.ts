import { describe, expect, test } from 'vitest';
import { HANDSHAKES, ScriptedServer, STATELESS } from './scripted-server.js';

const NAME = 'io.modelcontextprotocol/clientInfo';

describe('a client that does not send its name', () => {
  test('leaves it out of every request of 2026-07-28, which does not need it', async () => {
    const server = new ScriptedServer({ revision: STATELESS, capabilities: { tools: {} } });
    const client = await server.connect('on a pipe', { sendInfo: false });
    await client.callTool('x');
    expect(server.messages.map(({ params }) => Object.hasOwn(params._meta, NAME))).toEqual([false, false]);
  });

  test.each(HANDSHAKES)('still tells a server of %s, whose handshake needs it', async revision => {
    const server = new ScriptedServer({ revision, capabilities: {} });
    await server.connect('on a pipe', { sendInfo: false });
    expect(server.messages[0].params.clientInfo).toMatchObject({ name: 'tenon' });
  });
});

test('a client sends its name unless it is told not to', async () => {
  const server = new ScriptedServer({ revision: STATELESS, capabilities: {} });
  await server.connect('on a pipe', { info: { name: 'host', version: '2.0.0' } });
  expect(server.messages[0].params._meta[NAME]).toEqual({ name: 'host', version: '2.0.0' });
});
