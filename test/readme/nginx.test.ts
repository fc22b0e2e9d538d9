import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { Server } from 'tenon';
import { type Client, connect } from 'tenon/client';
import { memoryCluster } from 'tenon/cluster';
import { type ListenOptions, listen } from 'tenon/node';
import { HEADER, LATEST_REVISION, META } from 'tenon/protocol';
import { textOf } from 'tenon/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { CERTIFICATE, PRIVATE_KEY } from '../auth/client/certificate.js';
import { temporaryFolder } from '../cli/temporary-folder.js';
import { startNginx } from '../services/nginx.js';
import { isInstalled } from '../services/programs.js';
import { codeBlocks } from './blocks.js';

const [proxy = '', nodes = '', sticky = '', threeNodes = ''] = codeBlocks('docs/deploy.md')
  .filter(({ language }) => language === 'nginx')
  .map(({ code }) => code);
/** What stands before the nodes: two of the blocks list only these. */
const front = threeNodes.slice(threeNodes.indexOf('server {\n  listen'));

describe.runIf(isInstalled('nginx'))('the page on deployment configures nginx', () => {
  it('as a proxy that is reached by its public name, and passes on a stream as it comes', async () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    let serve = () => {};
    server.tool('cook', {}, async (_, ctx) => {
      ctx.progress(1);
      await new Promise<void>(resolve => {
        serve = resolve;
      });
      return 'Soup';
    });
    const node = await start(server, { allowedHosts: ['mcp.example.com'] });
    const port = await startProxy(node);
    const response = await callOverTls(port, 'cook');
    const seen: string[] = [];
    for await (const chunk of response.setEncoding('utf8')) {
      seen.push(chunk);
      // The tool ends only after this arrived.
      if (chunk.includes('notifications/progress')) serve();
    }
    expect(seen.join('')).toContain('Soup');
  });

  it('as a proxy whose public name the server must know', async () => {
    const node = await start(new Server({ name: 'bistro', version: '1.0.0' }), {});
    const response = await callOverTls(await startProxy(node), 'cook');
    expect(response.statusCode).toBe(403);
    expect((await response.setEncoding('utf8').toArray()).join('')).toContain('mcp.example.com');
  });

  it.each([
    ['nodes', `${nodes}\n${front}`],
    ['nodes with connections that are kept', threeNodes],
  ])('before three %s, which share sessions and questions', async (_, configuration) => {
    const cluster = memoryCluster();
    const client = await openSession(configuration, { cluster });
    expect(new Set(await visits(client)).size).toBe(3);
    expect(textOf(await client.callTool('reserve'))).toBe('2 guests');
  });

  it('to bring each session to one node, which needs no cluster', async () => {
    const client = await openSession(`${sticky}\n${front}`, {});
    expect(new Set(await visits(client)).size).toBe(1);
    expect(textOf(await client.callTool('reserve'))).toBe('2 guests');
  });
});

/** Starts the proxy with a certificate of the tests. Returns its port. */
async function startProxy(node: string): Promise<number> {
  const folder = await temporaryFolder();
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'private.key')];
  await Promise.all([writeFile(certificate, CERTIFICATE), writeFile(key, PRIVATE_KEY)]);
  const here = proxy
    .replace('/etc/ssl/mcp.example.com.pem', certificate)
    .replace('/etc/ssl/mcp.example.com.key', key)
    .replace('127.0.0.1:3000', node);
  const nginx = await startNginx(port => here.replace('listen 443', `listen 127.0.0.1:${port}`));
  onTestFinished(() => nginx.stop());
  return nginx.port;
}

async function callOverTls(port: number, tool: string): Promise<IncomingMessage> {
  const _meta = {
    [META.protocolVersion]: LATEST_REVISION,
    [META.clientCapabilities]: {},
    progressToken: 1,
  };
  const calling = request(`https://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    ca: CERTIFICATE,
    // The name in the certificate of the tests.
    servername: 'localhost',
    headers: {
      host: 'mcp.example.com',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      [HEADER.protocolVersion]: LATEST_REVISION,
      [HEADER.method]: 'tools/call',
      [HEADER.name]: tool,
    },
  });
  const params = { name: tool, arguments: {}, _meta };
  calling.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  const [response] = (await once(calling, 'response')) as [IncomingMessage];
  return response;
}

/** Connects to three nodes behind nginx with a client that has a session, and two guests. */
async function openSession(configuration: string, options: ListenOptions): Promise<Client> {
  const keys = ['a key of at least thirty-two bytes'];
  const hosts = await Promise.all([1, 2, 3].map(node => start(createNode(node), { ...options, keys })));
  const here = hosts.reduce((text, host, at) => text.replace(`10.0.0.${at + 1}:3000`, host), configuration);
  const nginx = await startNginx(port => here.replace('listen 80', `listen 127.0.0.1:${port}`));
  onTestFinished(() => nginx.stop());
  const client = await connect(`${nginx.url}/mcp`, {
    revision: '2025-11-25',
    onElicit: () => ({ action: 'accept', content: { guests: 2 } }),
  });
  onTestFinished(() => client.close());
  return client;
}

function createNode(node: number): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('node', {}, () => `${node}`);
  server.tool('reserve', {}, async (_, ctx) => {
    const party = await ctx.elicit('How many guests?', z.object({ guests: z.number() }));
    return party.action === 'accept' ? `${party.content.guests} guests` : 'nobody';
  });
  return server;
}

async function visits(client: Client): Promise<string[]> {
  const visited: string[] = [];
  for (let count = 0; count < 6; count++) visited.push(textOf(await client.callTool('node')));
  return visited;
}

/** Serves until the test is over. Returns the host and port. */
async function start(server: Server, options: ListenOptions): Promise<string> {
  const { url, close } = await listen(server, { port: 0, ...options });
  onTestFinished(() => close(0));
  return new URL(url).host;
}
