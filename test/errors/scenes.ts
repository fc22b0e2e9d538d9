import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { ErrorKind } from '../../src/base/errors.js';
import { loadApp } from '../../src/client/apps/index.js';
import type { ConnectOptions } from '../../src/client/index.js';
import { resumeTask } from '../../src/client/tasks/index.js';
import { bearer, clientCredentials, signIn } from '../../src/node/client/auth/index.js';
import { type Client, connect } from '../../src/node/client/index.js';
import { openSkill } from '../../src/node/client/skills/index.js';
import { type ListenOptions, listen } from '../../src/node/index.js';
import { redisCluster } from '../../src/node/server/redis/index.js';
import { describeSkill } from '../../src/node/server/skills/index.js';
import { jwt, type ProtectOptions, protect } from '../../src/server/auth/index.js';
import { ClusterUnavailable, GroupFull, memoryCluster } from '../../src/server/cluster/index.js';
import { inputRequired, Server, ToolError } from '../../src/server/index.js';
import { createMemorySingleUse } from '../../src/server/single-use.js';
import { startIdentityProvider } from '../auth/client/identity-provider.js';
import { serveFiles } from '../auth/client/protected-files.js';
import { connectedTo } from '../skills/lying-server.js';
import { pairWithTasks, withExtension } from '../tasks-client/raw-tasks.js';

/** Runs the example of the kind with these names, and returns what it printed and the constants that it made. */
export type RunExample = (
  scene?: Readonly<Record<string, unknown>>,
) => Promise<{ printed: string[]; made: Record<string, any> }>;

/** For every kind, a real situation in which its error comes. Returns that error. */
export const SCENES: Readonly<Record<ErrorKind, (run: RunExample) => Promise<unknown>>> = {
  async usage(run) {
    const server = newServer();
    expect((await run({ server })).printed).toEqual(['port must be a number from 0 to 65535, not 70000']);
    return caught(listen(server, { port: 70_000 }));
  },

  async mcp(run) {
    const server = newServer();
    const client = await connected(server);
    const { printed } = await run({ server, client });
    expect(printed).toEqual(['-32602 page must be at least 1 { page: 0 }']);
    return caught(client.request('menus/page', { page: 0 }));
  },

  async tool(run) {
    const server = newServer();
    await run({ server });
    const client = await connected(server);
    expect(await client.callTool('reserve')).toMatchObject({
      isError: true,
      content: [{ text: 'The restaurant is closed on Mondays.' }],
    });
    let thrown: unknown;
    server.use(async (_, next) =>
      Promise.resolve(next()).catch((error: unknown) => {
        thrown = error;
        throw error;
      }),
    );
    server.prompt('greet', {}, () => {
      throw new ToolError('closed');
    });
    await caught(client.getPrompt('greet'));
    return thrown;
  },

  async 'round-ended'(run) {
    const server = newServer();
    const { printed } = await run({ server });
    const client = await connected(server, { onElicit: () => ({ action: 'decline' }) });
    expect(await client.callTool('reserve')).toMatchObject({ content: [{ text: 'decline' }] });
    expect(printed).toEqual(['the round is over', 'the round is over']);
    let thrown: unknown;
    server.tool('ask', {}, async (_, ctx) => {
      await ctx.roots().catch(error => {
        thrown = error;
        throw error;
      });
      return '';
    });
    const rooted = await connected(server, { roots: [] });
    await rooted.callTool('ask');
    return thrown;
  },

  async cancelled(run) {
    const server = newServer();
    const controller = new AbortController();
    let stopped: unknown;
    const oven = {
      bake: (signal: AbortSignal) =>
        new Promise(resolve => {
          signal.addEventListener('abort', () => {
            stopped = signal.reason;
            resolve('burnt');
          });
          controller.abort();
        }),
    };
    const { printed } = await run({ server, oven });
    const client = await connected(server);
    const error = await caught(client.callTool('bake', {}, { signal: controller.signal }));
    expect(error).toMatchObject({ kind: 'cancelled', cause: { name: 'AbortError' } });
    await expect.poll(() => printed).toEqual([expect.stringMatching(/^stopped: /)]);
    return stopped;
  },

  async timeout(run) {
    const server = newServer();
    server.tool('bake', {}, () => new Promise<string>(() => {}));
    const client = await connected(server, { timeoutMs: 30 });
    expect((await run({ client })).printed).toEqual(['the oven takes too long']);
    return caught(client.callTool('bake'));
  },

  async 'answer-timeout'(run) {
    const server = newServer();
    await run({ server, patience: 20 });
    let thrown: unknown;
    server.tool('ask', {}, async (_, ctx) => {
      await ctx.roots({ timeoutMs: 20 }).catch(error => {
        thrown = error;
      });
      return '';
    });
    const never = () => new Promise<never>(() => {});
    const client = await connected(server, { revision: '2025-11-25', onElicit: never, roots: never });
    expect(await client.callTool('reserve')).toMatchObject({
      content: [{ text: 'Nobody said for how many guests.' }],
    });
    await client.callTool('ask');
    return thrown;
  },

  async connection(run) {
    const { url, close } = await listen(newServer(), { port: 0 });
    await close(0);
    const client = await connect(url, { negotiated: { revision: '2026-07-28' } });
    onTestFinished(() => client.close());
    expect((await run({ client })).printed).toEqual(['try again']);
    return caught(client.callTool('reserve'));
  },

  async http(run) {
    const client = await connected(newServer(), broken(new Response('no backend', { status: 503 })));
    expect((await run({ client })).printed).toEqual(['try again later']);
    return caught(client.callTool('reserve'));
  },

  async 'cannot-connect'(run) {
    expect((await run()).printed).toEqual([expect.stringMatching(/server\/discover/)]);
    return caught(connect('http://127.0.0.1:9/mcp'));
  },

  async 'not-supported'(run) {
    const client = await connected(newServer());
    expect((await run({ client })).printed).toEqual(['this server has no prompts: prompts']);
    return caught(client.prompts());
  },

  async 'invalid-answer'(run) {
    const page = new Response('<html>', { headers: { 'content-type': 'text/html' } });
    const client = await connected(newServer(), broken(page));
    expect((await run({ client })).printed).toEqual([
      expect.stringMatching(/^this server is broken: .*html/),
    ]);
    return caught(client.callTool('reserve'));
  },

  async 'too-many-rounds'(run) {
    const server = newServer();
    // A server of this SDK would end that itself.
    const again = inputRequired({ requests: { again: { method: 'roots/list' } } });
    const client = await connected(server, {
      roots: [],
      fetch: async (url, init) => {
        const { id, method } = JSON.parse(String(init?.body));
        return method === 'tools/call'
          ? Response.json({ jsonrpc: '2.0', id, result: again })
          : fetch(url, init);
      },
    });
    expect((await run({ client })).printed).toEqual(['this server does not stop asking']);
    return caught(client.callTool('interview'));
  },

  async access(run) {
    const { url } = await serve(newServer(), { auth: protect({ ...ISSUER, verify: () => undefined }) });
    expect((await run({ url })).printed).toEqual(['the token is no longer good']);
    return caught(connect(url, { auth: bearer('an-old-token') }));
  },

  async 'access-unreachable'(run) {
    // At first a token is not needed, then it is.
    let isOpen = true;
    const protection = protect({ authorizationServers: ['http://127.0.0.1:9'], verify: () => undefined });
    const auth: typeof protection = {
      ...protection,
      authenticate: request => (isOpen ? { principal: 'anyone' } : protection.authenticate(request)),
    };
    const { url } = await serve(newServer(), { auth });
    const client = await connect(url, { auth: clientCredentials({ id: 'kitchen', secret: 'salt' }) });
    onTestFinished(() => client.close());
    isOpen = false;
    expect((await run({ client })).printed).toEqual([expect.stringMatching(/^try again later: /)]);
    return caught(client.callTool('reserve'));
  },

  async 'sign-in-required'(run) {
    const provider = await startIdentityProvider();
    const url = await serveFiles(provider);
    const { printed } = await run({ url });
    expect(printed).toEqual([`please sign in at ${new URL(provider.issuer).origin}`]);
    return caught(connect(url, { auth: signIn({ redirect: { uri: 'https://app.example/callback' } }) }));
  },

  async 'invalid-token'(run) {
    const { made } = await run({ revoked: new Set(['old']) });
    const { url } = await serve(newServer(), { auth: made.auth });
    const refused = await fetch(url, { method: 'POST', headers: { authorization: 'Bearer old' } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('error_description="the token was revoked"');
    const verify = jwt({ issuer: 'https://login.example.com' });
    return caught(verify.verify('no token', url));
  },

  async 'verifier-unavailable'(run) {
    const { printed, made } = await run();
    const verify = jwt({ issuer: 'http://127.0.0.1:9' });
    const { url } = await serve(made.server, { auth: protect({ ...ISSUER, verify }) });
    const refused = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${JWT}` } });
    expect(refused.status).toBe(503);
    expect(printed).toEqual([expect.stringMatching(/^nobody can sign in: /)]);
    return caught(verify.verify(JWT, url));
  },

  async 'cannot-listen'(run) {
    const other = createServer();
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const server = newServer();
    const { printed, made } = await run({ server, port });
    await made.running.close(0);
    expect(printed).toEqual([made.running.url]);
    return caught(listen(server, { port }));
  },

  async 'skill-refused'(run) {
    const skill = await describeSkill('skill://refunds', {
      'SKILL.md': '---\nname: refunds\ndescription: Refund\n---\n',
    });
    const { client } = await connectedTo([skill], { [skill.uri]: 'changed' });
    expect((await run({ client, skill })).printed).toEqual([
      'not loaded: skill://refunds/SKILL.md has 7 bytes, and its entry says 42',
    ]);
    return caught(openSkill(client, skill));
  },

  async 'task-lost'(run) {
    const { client } = await pairWithTasks(
      withExtension({ 'tasks/get': ask => ask.error(-32602, 'Task not found') }),
    );
    const handle = { taskId: 'a', tool: 'render', status: 'working', ttlMs: null, answered: [] } as const;
    expect((await run({ client, handle })).printed).toEqual(['look whether it was done: render']);
    return caught(resumeTask(client, JSON.stringify(handle)));
  },

  async 'app-refused'(run) {
    const server = newServer();
    server.resource('ui://weather/dashboard', { mimeType: 'text/html' }, () => '<p>Sunny</p>');
    const client = await connected(server);
    expect((await run({ client })).printed).toEqual([
      'no app: ui://weather/dashboard has the type "text/html", and an app has text/html;profile=mcp-app',
    ]);
    return caught(loadApp(client, 'ui://weather/dashboard'));
  },

  async 'store-full'(run) {
    const { printed, made } = await run();
    const server = made.server as Server;
    server.tool('pay', {}, async (_, ctx) => {
      await ctx.roots();
      await ctx.once();
      return 'paid';
    });
    const { url } = await serve(server, { singleUse: createMemorySingleUse(0) });
    const client = await connect(url, { roots: [] });
    onTestFinished(() => client.close());
    await client.callTool('pay').catch(() => {});
    expect(printed).toEqual([expect.stringMatching(/^a larger store is needed: /)]);
    return caught(async () => createMemorySingleUse(0).redeem('x', Date.now() + 1000));
  },

  async 'cluster-unavailable'(run) {
    const port = await closedPort();
    const cluster = redisCluster({ url: `redis://127.0.0.1:${port}`, timeoutMs: 1_000 });
    onTestFinished(() => cluster.close());
    // The first call also loads the client of Redis.
    await caught(cluster.read('menu'));
    const { printed } = await run({ cluster, key: 'menu', ClusterUnavailable });
    expect(printed).toEqual([
      `the store is away: Redis cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}`,
    ]);
    return caught(cluster.publish('menu', 'changed'));
  },

  async 'group-full'(run) {
    const cluster = memoryCluster();
    const expiresAt = Date.now() + 60_000;
    const group = { name: 'tasks of ada', limit: 100 };
    for (let index = 0; index < 100; index++)
      await cluster.write(`task ${index}`, '{}', { was: undefined, expiresAt, group });
    const { printed } = await run({ cluster, key: 'task', value: '{}', expiresAt, GroupFull });
    expect(printed).toEqual(['there are 100 values in "tasks of ada" already, and there may not be more']);
    return caught(cluster.write('task', '{}', { was: undefined, expiresAt, group }));
  },
};

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const ISSUER: Pick<ProtectOptions, 'authorizationServers'> = {
  authorizationServers: ['https://login.example.com'],
};

/** A token whose signature nobody could check. */
const JWT = ['{"alg":"RS256","typ":"at+jwt"}', '{}', 'x']
  .map(part => btoa(part).replaceAll('=', ''))
  .join('.');

function newServer(): Server {
  const server = new Server(
    { name: 'bistro', version: '1.0.0' },
    { onError() {}, capabilities: { tools: {} } },
  );
  return server;
}

async function serve(server: Server, options: ListenOptions = {}): Promise<{ url: string }> {
  const running = await listen(server, { port: 0, ...options });
  onTestFinished(() => running.close(0));
  return running;
}

async function connected(server: Server, options: ConnectOptions = {}): Promise<Client> {
  const { url } = await serve(server);
  const client = await connect(url, options);
  onTestFinished(() => client.close());
  return client;
}

/** Lets everything through but calls of tools, which get an answer that is none. */
function broken(response: Response): ConnectOptions {
  return {
    fetch: async (url, init) =>
      String(init?.body).includes('"tools/call"') ? response.clone() : fetch(url, init),
  };
}

/** What was thrown; fails if nothing was. */
async function caught(work: Promise<unknown> | (() => Promise<unknown>)): Promise<unknown> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
