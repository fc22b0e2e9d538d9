import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Client, ConnectTarget } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { expectNoneWith, marked } from '../stdio-client/marked.js';
import { type House, openHouse } from './bistro.js';
import { createHome, environment, ROOT, script } from './environment.js';
import { serveStrictly } from './fixtures/strict-server.js';

const home = createHome();
let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

interface Bridge {
  name: string;
  path: string;
  args: (url: string) => string[];
  /** The revision that is found behind it. */
  revision: string;
  /** It passes on requests alone: no questions of the server, no progress, no cancellation. */
  isOneWay: boolean;
  /** For bridges that answer the probe: on a busy machine they take their time. */
  probeTimeoutMs?: number;
}

/** They are started by the client. The server behind them listens. */
const STDIO_BRIDGES: Bridge[] = [
  {
    name: 'mcp-remote 0.15.1',
    path: 'mcp-remote/dist/proxy.js',
    args: url => [url, '--allow-http'],
    revision: '2026-07-28',
    isOneWay: false,
    probeTimeoutMs: 60_000,
  },
  {
    name: 'mcp-remote 0.1.38',
    path: 'mcp-remote-old/dist/proxy.js',
    args: url => [url, '--allow-http'],
    revision: '2025-11-25',
    isOneWay: false,
  },
  {
    name: 'supergateway from Streamable HTTP',
    path: 'supergateway/dist/index.js',
    args: url => ['--streamableHttp', url],
    revision: '2025-11-25',
    isOneWay: true,
  },
];

/** What the tool tells when the bridge refuses its question. */
const REFUSED = {
  isError: true,
  content: [{ text: expect.stringContaining('elicitation/create with an error: Method not found') }],
};

describe.each(STDIO_BRIDGES)('$name', ({ path, args, revision, isOneWay, probeTimeoutMs }) => {
  const through = (url: string) => {
    const env = environment(home);
    return marked({ command: process.execPath, args: [script(path), ...args(url)], cwd: home, env });
  };

  test(`carries ${isOneWay ? 'calls' : 'calls, questions and progress'}`, async () => {
    const { command, mark } = through(house.target.url);
    const client = await connect(command, { onElicit: answer, onWarning, probeTimeoutMs });
    expect(client.revision).toBe(revision);
    await makeCalls(client);
    if (isOneWay) expect(await client.callTool(...BOOKING)).toMatchObject(REFUSED);
    else await askAndCancel(client);
    await client.close();
    await expectNoneWith(mark);
  });

  test('stands in front of a server that is strict about the handshake', async () => {
    const { origin, close } = await serveStrictly();
    onTestFinished(close);
    const { command, mark } = through(`${origin}/mcp`);
    await reachStrictServer(command);
    await expectNoneWith(mark);
  });
});

// They start the server, and listen.
describe.each([
  { output: 'streamableHttp', options: [], path: '/mcp', revision: '2026-07-28' },
  { output: 'streamableHttp', options: ['--stateful'], path: '/mcp', revision: '2025-11-25' },
  { output: 'sse', options: [], path: '/sse', revision: '2025-11-25' },
])('supergateway to $output $options', ({ output, options, path, revision }) => {
  const inFrontOf = async (...program: string[]) => {
    const quoted = program.map(word => `'${word}'`).join(' ');
    return `${await startGateway('--outputTransport', output, ...options, '--stdio', quoted)}${path}`;
  };

  test(`carries calls, questions and progress in ${revision}`, async () => {
    const { command, args } = house.target;
    const client = await connect(await inFrontOf(command, ...args), { onElicit: answer, revision });
    await makeCalls(client);
    await askAndCancel(client);
    await client.close();
  });

  test('stands in front of a server that is strict about the handshake', async () => {
    const strict = `${ROOT}test/client/fixtures/late-server.mjs`;
    await reachStrictServer(
      await inFrontOf(process.execPath, strict, 'of the old era that wants initialize first', '0'),
    );
  });
});

const BOOKING = ['book_party', { occasion: 'birthday' }] as const;

const answer = () => ({
  action: 'accept' as const,
  content: { guests: 6, diet: 'vegan', terrace: true },
});

/** Bridges make the client try again, and it says so. */
const onWarning = () => {};

async function makeCalls(client: Client): Promise<void> {
  expect((await client.tools()).map(({ name }) => name)).toContain('list_tables');
  const { structuredContent } = await client.callTool('list_tables', { seats: 8 });
  expect(structuredContent).toEqual({ tables: [{ id: 'terrace', seats: 8, free: true }] });
  const failed = await client.callTool('reserve', { table: 'none', guests: 2, name: 'Ada' });
  expect(failed.isError).toBe(true);
}

async function askAndCancel(client: Client): Promise<void> {
  const { content } = await client.callTool(...BOOKING);
  expect(content).toEqual([{ type: 'text', text: expect.stringContaining('6 guests') }]);
  const leaving = new AbortController();
  const onProgress = () => leaving.abort();
  const cooking = client.callTool('cook', { dish: 'ratatouille' }, { signal: leaving.signal, onProgress });
  await expect(cooking).rejects.toThrow('aborted');
  expect((await client.callTool('list_tables')).isError).toBeUndefined();
}

async function reachStrictServer(target: ConnectTarget): Promise<void> {
  const client = await connect(target, { onWarning });
  expect(client.revision).toBe('2025-11-25');
  expect((await client.tools()).map(({ name }) => name)).toEqual(['echo']);
  await client.close();
}

/** Starts a supergateway that listens, and returns its origin. */
async function startGateway(...args: string[]): Promise<string> {
  const listenOnLoopback = `${ROOT}test/interop-client/servers/listen-on-loopback.mjs`;
  const { command } = marked({ command: process.execPath, env: environment(home) });
  const gateway = spawn(
    command.command,
    ['--import', listenOnLoopback, script('supergateway/dist/index.js'), ...args],
    { cwd: home, env: command.env, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const exited = once(gateway, 'exit');
  onTestFinished(async () => {
    gateway.kill();
    await exited;
  });
  for await (const line of createInterface({ input: gateway.stderr })) {
    const [, port] = line.match(/^\[port\] (\d+)$/) ?? [];
    if (port) return `http://127.0.0.1:${port}`;
  }
  throw new Error('the gateway ended before it listened');
}
