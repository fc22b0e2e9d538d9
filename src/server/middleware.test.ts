import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connectRaw, type RawClient, type RawClientOptions } from '../../test/raw-client.js';
import type { JsonObject } from '../base/json.js';
import { ERROR, McpError } from '../protocol/errors.js';
import { Server } from './server.js';

const REVISIONS = ['2025-11-25', '2026-07-28'];

describe.each(REVISIONS)('middleware on %s', revision => {
  let server: Server;
  const isModern = revision === '2026-07-28';

  beforeEach(() => {
    server = new Server({ name: 'bistro', version: '1.0.0' }, { onError: () => {} });
    server.tool('greet', { input: z.object({ name: z.string() }) }, ({ name }) => `Hello ${name}`);
    server.tool('fail', {}, () => {
      throw new Error('broken');
    });
    server.prompt('order', {}, () => 'Soup');
    server.resource('menu://{day}', {}, ({ day }) => day);
  });

  function connect(options: RawClientOptions = {}): Promise<RawClient> {
    return connectRaw(server, { revision, ...options });
  }

  const greet = (client: RawClient, name = 'Ada') =>
    client.request('tools/call', { name: 'greet', arguments: { name } });

  it('runs around a call, the first one outermost', async () => {
    const steps: string[] = [];
    for (const name of ['outer', 'inner']) {
      server.use(async (_, next) => {
        steps.push(`${name} before`);
        const result = await next();
        steps.push(`${name} after`);
        return result;
      });
    }
    const client = await connect();
    steps.length = 0;
    await greet(client);
    expect(steps).toEqual(['outer before', 'inner before', 'inner after', 'outer after']);
  });

  it('sees the method, the target, the revision and the client of every request', async () => {
    const seen: unknown[] = [];
    server.use(async (call, next) => {
      seen.push([call.method, call.target, call.revision, call.client.info?.name]);
      return next();
    });
    const client = await connect();
    if (isModern) await client.request('server/discover');
    else await client.request('ping');
    await greet(client);
    await client.request('prompts/get', { name: 'order' });
    await client.request('resources/read', { uri: 'menu://today' });
    await client.request('tools/list');
    const own = isModern ? ['server/discover'] : ['initialize', 'ping'];
    const targets = [
      ...own.map(method => [method, undefined]),
      ['tools/call', 'greet'],
      ['prompts/get', 'order'],
      ['resources/read', 'menu://today'],
      ['tools/list', undefined],
    ];
    expect(seen).toEqual(targets.map(target => [...target, revision, 'tenon-test-client']));
  });

  it('sees also what is not there', async () => {
    const seen: string[] = [];
    server.use(async (call, next) => {
      seen.push(call.method);
      return next();
    });
    const client = await connect();
    await expect(client.request('no/such/method')).rejects.toMatchObject({ code: ERROR.methodNotFound });
    expect(seen).toContain('no/such/method');
  });

  it('sees who calls', async () => {
    const principals: unknown[] = [];
    server.use(async (call, next) => {
      principals.push(call.principal, call.caller);
      return next();
    });
    await greet(await connect());
    expect(new Set(principals)).toEqual(new Set([undefined]));
    principals.length = 0;
    const auth = { principal: 'ada', scopes: ['menu'] };
    await greet(await connect({ authenticate: () => auth }));
    const seen = new Set(principals.map(one => JSON.stringify(one)));
    expect(seen).toEqual(new Set(['"ada"', JSON.stringify(auth)]));
  });

  it('may refuse a call, which then does not happen', async () => {
    let ran = false;
    server.tool('secret', {}, () => {
      ran = true;
    });
    server.use(async (call, next) => {
      if (call.target === 'secret') throw new McpError(1403, 'not for you');
      return next();
    });
    const client = await connect();
    await expect(client.request('tools/call', { name: 'secret' })).rejects.toMatchObject({ code: 1403 });
    expect(ran).toBe(false);
    expect(await greet(client)).toMatchObject({ content: [{ text: 'Hello Ada' }] });
  });

  it('may answer without going on', async () => {
    server.use(async (call, next) =>
      call.method === 'tools/call' ? { content: [{ type: 'text', text: 'Cached' }] } : next(),
    );
    expect(await greet(await connect())).toMatchObject({ content: [{ text: 'Cached' }] });
  });

  it('may change the parameters for those inside, and leaves them as they are for those outside', async () => {
    const seen: unknown[] = [];
    server.use(async (call, next) => {
      const result = await next();
      if (call.method === 'tools/call') seen.push(call.params.arguments);
      return result;
    });
    server.use(async (call, next) =>
      call.method === 'tools/call'
        ? next({ params: { ...call.params, arguments: { name: 'Bob' } } })
        : next(),
    );
    server.use(async (call, next) => {
      if (call.method === 'tools/call') seen.push(call.params.arguments);
      return next();
    });
    expect(await greet(await connect())).toMatchObject({ content: [{ text: 'Hello Bob' }] });
    expect(seen).toEqual([{ name: 'Bob' }, { name: 'Ada' }]);
  });

  it('may send a call elsewhere', async () => {
    server.use(async (call, next) => {
      if (call.target !== 'old') return next();
      return next({ params: { ...call.params, name: 'greet' } });
    });
    const client = await connect();
    const result = await client.request('tools/call', { name: 'old', arguments: { name: 'Ada' } });
    expect(result).toMatchObject({ content: [{ text: 'Hello Ada' }] });
  });

  it('may change the result', async () => {
    server.use(async (call, next) => {
      const result = (await next()) as JsonObject;
      if (call.method !== 'tools/list') return result;
      return { ...result, tools: (result.tools as { name: string }[]).filter(({ name }) => name !== 'fail') };
    });
    const { tools } = await (await connect()).request('tools/list');
    expect((tools as { name: string }[]).map(({ name }) => name)).toEqual(['greet']);
  });

  it('does not change what others are told when it changes a list', async () => {
    let isFiltering = true;
    server.use(async (call, next) => {
      const result = (await next()) as JsonObject;
      return isFiltering && call.method === 'tools/list' ? { ...result, tools: [] } : result;
    });
    const client = await connect();
    expect((await client.request('tools/list')).tools).toEqual([]);
    isFiltering = false;
    expect((await client.request('tools/list')).tools).toHaveLength(2);
  });

  it('sees the failure of a tool as a result, and errors of the protocol as such', async () => {
    const outcomes: unknown[] = [];
    server.use(async (_, next) => {
      try {
        const result = (await next()) as JsonObject;
        outcomes.push(result.isError ?? 'fine');
        return result;
      } catch (error) {
        outcomes.push((error as McpError).code);
        throw error;
      }
    });
    const client = await connect();
    outcomes.length = 0;
    await client.request('tools/call', { name: 'fail' });
    await client.request('tools/call', { name: 'nope' }).catch(() => {});
    await greet(client);
    expect(outcomes).toEqual([true, ERROR.invalidParams, 'fine']);
  });

  it('keeps the text of its own failures to itself', async () => {
    server.use(async (call, next) => {
      if (call.method === 'tools/call') throw new Error('the password is 1234');
      return next();
    });
    await expect(greet(await connect())).rejects.toMatchObject({
      code: ERROR.internal,
      message: 'internal error',
    });
  });

  it('may replace members of the call for everything inside', async () => {
    const own = new AbortController();
    const sent: unknown[] = [];
    server.tool('where', {}, (_, ctx) => {
      ctx.log.info('from the tool');
      return `${ctx.signal === own.signal} ${ctx.caller?.principal}`;
    });
    server.use({
      name: 'observer',
      send: ({ params }, next) => {
        sent.push(params.data);
        next({ params: { ...params, data: 'seen' } });
      },
    });
    server.use(async (call, next) => {
      if (call.target !== 'where') return next();
      return next({
        replace: below => ({
          signal: own.signal,
          logLevel: 'info',
          notify: (method, params) => below.notify(method, { ...params, logger: 'replaced' }),
          // Who calls is not for middleware to say.
          ...{ caller: { principal: 'root' } },
        }),
      });
    });
    server.use(async (call, next) => {
      if (call.target === 'where') call.notify('notifications/message', { level: 'info', data: 'inside' });
      return next();
    });
    const client = await connect();
    const result = await client.request('tools/call', { name: 'where' });
    expect(result).toMatchObject({ content: [{ text: 'true undefined' }] });
    expect(sent).toEqual(['inside', 'from the tool']);
    const params = { data: 'seen', logger: 'replaced' };
    expect(client.notifications).toMatchObject([{ params }, { params }]);
  });

  it('cannot change in place who calls, or what others get from a handler', async () => {
    const kept = { content: [{ type: 'text' as const, text: 'Soup' }] };
    server.tool('menu', {}, () => kept);
    const auth = { principal: 'ada', scopes: ['menu'], claims: { role: 'guest' } };
    const refused: unknown[] = [];
    const spoil = (change: () => void) => {
      try {
        change();
      } catch (error) {
        refused.push(error);
      }
    };
    server.use(async (call, next) => {
      if (call.method !== 'tools/call') return next();
      const { scopes, claims } = call.caller as typeof auth;
      spoil(() => scopes.push('admin'));
      spoil(() => Object.assign(claims, { role: 'admin' }));
      spoil(() => Object.assign(call.client.capabilities, { sampling: {} }));
      const result = (await next()) as typeof kept;
      spoil(() => result.content.push({ type: 'text', text: 'Salad' }));
      return { ...result, isError: false };
    });
    server.tool('role', {}, (_, ctx) => `${ctx.caller?.claims?.role} ${ctx.caller?.scopes}`);
    const client = await connect({ authenticate: () => auth });
    expect(await client.request('tools/call', { name: 'menu' })).toMatchObject(kept);
    expect(await client.request('tools/call', { name: 'role' })).toMatchObject({
      content: [{ text: 'guest menu' }],
    });
    expect(kept.content).toHaveLength(1);
    expect(refused).toHaveLength(8);
  });

  it('gives middleware nothing of the server itself, which belongs to all calls', async () => {
    const refused: unknown[] = [];
    const seen: unknown[] = [];
    server.use(async (call, next) => {
      if (call.method !== 'tools/call') return next();
      seen.push(...['asking', 'agreement', 'running', 'channel'].map(name => Reflect.get(call, name)));
      seen.push('asking' in call, 'params' in call, 'signal' in call, Object.getPrototypeOf(call));
      for (const change of [
        () => Object.assign(call, { params: {} }),
        () => Object.defineProperty(call, 'method', { value: 'ping' }),
        () => Reflect.deleteProperty(call, 'target'),
        () => Object.setPrototypeOf(call, null),
        () => Object.preventExtensions(call),
      ]) {
        try {
          change();
        } catch (error) {
          refused.push(error);
        }
      }
      return next();
    });
    expect(await greet(await connect())).toMatchObject({ content: [{ text: 'Hello Ada' }] });
    expect(seen).toEqual([undefined, undefined, undefined, undefined, false, true, true, Object.prototype]);
    expect(refused).toHaveLength(5);
  });

  it('leaves parameters to handlers that they may change', async () => {
    server.method('acme/sort', params => {
      (params.dishes as string[]).sort();
      return params;
    });
    server.use(async (call, next) =>
      call.params.isChanged ? next({ params: { ...call.params, more: 1 } }) : next(),
    );
    const client = await connect();
    for (const isChanged of [false, true])
      expect(await client.request('acme/sort', { dishes: ['soup', 'salad'], isChanged })).toMatchObject({
        dishes: ['salad', 'soup'],
      });
  });

  it('sees which extensions a client declared', async () => {
    const seen: unknown[] = [];
    server.use(async (call, next) => {
      if (call.method === 'tools/call')
        seen.push(call.extension('com.example/a'), call.extension('com.example/b'));
      return next();
    });
    await greet(await connect({ capabilities: { extensions: { 'com.example/a': { x: 1 } } } }));
    expect(seen).toEqual([{ x: 1 }, undefined]);
  });

  it('may use everything that a call offers', async () => {
    server.use(async (call, next) => {
      if (call.method === 'tools/call') {
        expect(call.signal.aborted).toBe(false);
        call.notify('notifications/message', { level: 'info', data: 'from outside' });
      }
      return next();
    });
    const client = await connect();
    await greet(client);
    expect(client.notifications).toMatchObject([{ params: { data: 'from outside' } }]);
  });
});

describe('middleware around the methods of an era', () => {
  it('may change the parameters of the handshake revisions’ own methods', async () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    server.tool('log', {}, (_, ctx) => ctx.log.info('hello'));
    server.use(async (call, next) =>
      call.method === 'logging/setLevel' ? next({ params: { level: 'error' } }) : next(),
    );
    const client = await connectRaw(server, { revision: '2025-11-25' });
    await client.request('logging/setLevel', { level: 'debug' });
    await client.request('tools/call', { name: 'log' });
    expect(client.notifications).toEqual([]);
  });

  it('may refuse a handshake', async () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    server.use(async (call, next) => {
      if (call.method === 'initialize') throw new McpError(1403, 'not for you');
      return next();
    });
    await expect(connectRaw(server, { revision: '2025-11-25' })).rejects.toMatchObject({ code: 1403 });
  });
});
