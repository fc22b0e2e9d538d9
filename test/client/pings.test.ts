import { describe, expect, it } from 'vitest';
import { ConnectionError } from '../../src/client/index.js';
import { type Message, ScriptedServer, WAYS } from './scripted-server.js';

const METHODS = { '2025-06-18': 'ping', '2026-07-28': 'server/discover' };

describe.each(Object.entries(METHODS))('a client of %s', (revision, method) => {
  const isPing = (message: Message) => message.method === method;

  // covers: 2025-06-18/ping/frequency-is-configurable, 2025-06-18/ping/pings-are-periodic
  it.each(WAYS)('pings the server again and again if it is told to, %s', async way => {
    const pings: Message[] = [];
    let enough = () => {};
    const several = new Promise<void>(resolve => {
      enough = resolve;
    });
    const answer = (message: Message) => {
      if (isPing(message) && pings.push(message) === 4) enough();
      return undefined;
    };
    const server = new ScriptedServer({ revision, capabilities: { tools: {} }, answer });
    const client = await server.connect(way, { pingIntervalMs: 20 });
    await several;
    await client.close();
  });

  it('sends no ping by itself', async () => {
    const server = new ScriptedServer({ revision, capabilities: { tools: {} } });
    const client = await server.connect('on a pipe');
    await client.callTool('x');
    expect(server.methods).toEqual(['tools/call']);
  });

  // covers: 2025-06-18/ping/timeout-is-a-connection-failure
  it('takes a server that no longer responds for lost, and fails what is under way', async () => {
    let isHung = false;
    const server = new ScriptedServer({
      revision,
      capabilities: { tools: {} },
      isSilent: () => isHung,
    });
    let onClose: (reason: Error | undefined) => void = () => {};
    const closed = new Promise<Error | undefined>(resolve => {
      onClose = resolve;
    });
    const client = await server.connect('on a pipe', {
      pingIntervalMs: 10,
      timeoutMs: 500,
      onClose: reason => onClose(reason),
    });
    isHung = true;
    const call = client.callTool('x', {}, { timeoutMs: 60_000 }).catch((error: unknown) => error);
    expect(await closed).toMatchObject({ message: expect.stringContaining('no longer responds') });
    expect(await call).toBeInstanceOf(ConnectionError);
    expect(((await call) as Error).message).toContain('no longer responds');
  });

  // covers: 2025-06-18/ping/failures-are-logged
  it('warns of a ping that fails, and of the same failure once', async () => {
    const pings: Message[] = [];
    let enough = () => {};
    const several = new Promise<void>(resolve => {
      enough = resolve;
    });
    const server = new ScriptedServer({
      revision,
      capabilities: { tools: {} },
      refuse: message => {
        if (!isPing(message) || server.messages.filter(isPing).length < 2) return undefined;
        if (pings.push(message) === 4) enough();
        return { code: -32603, message: 'the kitchen is closed' };
      },
    });
    const warnings: string[] = [];
    const onWarning = (text: string) => void warnings.push(text);
    // The first request to discover is the probe.
    const client = await server.connect('on a pipe', { pingIntervalMs: 10, onWarning });
    await several;
    await client.close();
    expect(warnings).toEqual(['a ping failed: the kitchen is closed']);
  });

  // covers: 2025-06-18/ping/failures-are-logged
  it('warns of a ping that is not answered', async () => {
    let isHung = false;
    const server = new ScriptedServer({ revision, capabilities: {}, isSilent: () => isHung });
    const warned = new Promise<string>(resolve => {
      const options = { pingIntervalMs: 10, timeoutMs: 500, onWarning: resolve };
      server.connect('on a pipe', options).then(() => {
        isHung = true;
      });
    });
    expect(await warned).toContain('a ping failed');
  });
});
