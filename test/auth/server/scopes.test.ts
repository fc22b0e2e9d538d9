import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../src/client/index.js';
import { type AccessRequest, Server } from '../../../src/server/index.js';
import { LegacyClient } from '../../http/legacy-client.js';
import { ModernClient } from '../../http/modern-client.js';
import { serve, serverWith } from '../../http/serve.js';
import { type AuthorizationServer, startAuthorizationServer } from '../authorization-server.js';
import { bearer, type Protected, serveProtected } from './protected.js';

let issuer: AuthorizationServer;

beforeAll(async () => {
  issuer = await startAuthorizationServer();
});

afterAll(() => issuer.close());

const ERAS = [
  ['with a handshake', (url: string, token: string) => LegacyClient.open(url, { headers: bearer(token) })],
  ['with an envelope', async (url: string, token: string) => new ModernClient(url, bearer(token))],
] as const;

function insufficient({ challenge }: Protected, scope: string): string {
  const description = `error_description="this request needs the scopes ${scope}"`;
  return `${challenge('error="insufficient_scope"', description)}, scope="${scope}"`;
}

describe.each(ERAS)('scopes, %s', (_, open) => {
  const ran: string[] = [];
  const add = (server: Server) => {
    server.use((call, next) => {
      ran.push(`middleware ${call.method}`);
      return next();
    });
    server.tool('read', { scopes: ['files:read'] }, () => void ran.push('read'));
    server.tool('move', { scopes: ['files:read', 'files:write'] }, () => void ran.push('move'));
    server.resource('files://all', { scopes: ['files:read'] }, () => 'all');
    server.resource(
      'files://{name}',
      { scopes: ['files:read'], complete: { name: ['a'] } },
      ({ name }) => name,
    );
    server.prompt('tidy', { scopes: ['files:write'] }, () => 'Tidy up');
  };

  // covers: 2025-06-18/authorization/status-codes
  // covers: 2025-06-18/authorization/token-is-validated-before-processing
  // covers: 2025-06-18/resources/permissions-are-checked, 2025-06-18/resources/sensitive-ones-are-protected
  // covers: 2025-06-18/tools/access-is-controlled, 2025-06-18/completion/access-is-controlled
  // covers: 2025-06-18/prompts/inputs-and-outputs-are-validated
  // covers: 2025-11-25/authorization/challenge-has-the-scopes-of-the-request
  // covers: 2025-11-25/authorization/consistent-challenges
  // covers: 2025-11-25/authorization/insufficient-scope-is-403
  // covers: 2026-07-28/authorization-security/tokens-before-processing
  // covers: 2026-07-28/authorization/challenge-has-the-scopes-of-the-operation
  // covers: 2026-07-28/authorization/consistent-challenges
  // covers: 2026-07-28/authorization/insufficient-scope-is-403, 2026-07-28/authorization/status-codes
  // covers: 2026-07-28/caching/access-controls-per-primitive, 2026-07-28/completion/access-is-controlled
  // covers: 2026-07-28/resources/access-is-controlled, 2026-07-28/resources/permissions-are-checked-first
  // covers: 2026-07-28/tools/access-is-controlled
  it.each([
    ['a tool', 'tools/call', { name: 'read' }, 'files:read'],
    ['a tool that needs several', 'tools/call', { name: 'move' }, 'files:read files:write'],
    ['a resource', 'resources/read', { uri: 'files://all' }, 'files:read'],
    ['a template', 'resources/read', { uri: 'files://notes' }, 'files:read'],
    ['a prompt', 'prompts/get', { name: 'tidy' }, 'files:write'],
    [
      'a completion',
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'files://{name}' }, argument: { name: 'name', value: '' } },
      'files:read',
    ],
  ])('of %s are asked for before anything runs', async (_what, method, params, scope) => {
    const guarded = await serveProtected(issuer, add);
    const poor = await open(guarded.url, await issuer.token(guarded.url, { scope: 'mcp' }));
    ran.length = 0;
    const refused = await poor.request(method, params);
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toBe(insufficient(guarded, scope));
    expect(refused.error?.message).toBe(`this request needs the scopes ${scope}`);
    expect(ran).toEqual([]);
    const rich = await open(guarded.url, await issuer.token(guarded.url, { scope }));
    const answered = await rich.request(method, params);
    expect(answered.status).toBe(200);
    expect(answered.error).toBeUndefined();
  });

  // covers: 2026-07-28/authorization/all-scopes-at-once
  it('are asked for all at once, those of the server and those of the tool', async () => {
    const guarded = await serveProtected(issuer, add, { scopes: ['mcp'] });
    const client = new ModernClient(
      guarded.url,
      bearer(await issuer.token(guarded.url, { scope: 'files:read' })),
    );
    const refused = await client.call('move');
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toBe(insufficient(guarded, 'mcp files:read files:write'));
    const listed = await client.request('tools/list');
    expect(listed.headers.get('www-authenticate')).toBe(insufficient(guarded, 'mcp'));
  });

  // covers: 2026-07-28/authorization/scope-hierarchies
  it('may be included in others', async () => {
    const includes = { admin: ['files:write'], 'files:write': ['files:read'] };
    const { url } = await serveProtected(issuer, add, { includes });
    const client = await open(url, await issuer.token(url, { scope: 'admin' }));
    expect((await client.call('move')).status).toBe(200);
  });

  it('keep what was read out of caches that are shared', async () => {
    const { url } = await serveProtected(issuer, add);
    const client = new ModernClient(url, bearer(await issuer.token(url, { scope: 'files:read' })));
    const { result } = await client.request('resources/read', { uri: 'files://all' });
    expect(result.cacheScope).toBe('private');
  });
});

describe('scopes', () => {
  const add = (server: Server) => {
    server.tool('free', {}, () => 'free');
    server.tool('read', { scopes: ['files:read'] }, () => 'read');
    server.tool('write', { scopes: ['files:write'] }, () => 'written');
    server.resource('files://all', { scopes: ['files:read'] }, () => 'all');
  };

  it('are asked for by a GET, too', async () => {
    const guarded = await serveProtected(issuer, add, { scopes: ['mcp'] });
    const headers = { accept: 'text/event-stream', ...bearer(await issuer.token(guarded.url)) };
    const response = await fetch(guarded.url, { headers });
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toBe(insufficient(guarded, 'mcp'));
  });

  it('of a batch are those of all its requests', async () => {
    const guarded = await serveProtected(issuer, add);
    const headers = bearer(await issuer.token(guarded.url));
    const client = await LegacyClient.open(guarded.url, { revision: '2025-03-26', headers });
    const call = (id: number, name: string) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name },
    });
    const response = await client.post([call(1, 'free'), call(2, 'read'), call(3, 'write')]);
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toBe(insufficient(guarded, 'files:read files:write'));
  });

  it('are needed to watch a resource', async () => {
    const guarded = await serveProtected(issuer, add);
    const headers = bearer(await issuer.token(guarded.url));
    const legacy = await LegacyClient.open(guarded.url, { headers });
    const subscribed = await legacy.request('resources/subscribe', { uri: 'files://all' });
    const listened = await new ModernClient(guarded.url, headers).request('subscriptions/listen', {
      notifications: { resourceSubscriptions: ['files://all'] },
    });
    for (const { status, headers: answered } of [subscribed, listened]) {
      expect(status).toBe(403);
      expect(answered.get('www-authenticate')).toBe(insufficient(guarded, 'files:read'));
    }
  });

  it('are needed where middleware leads to another tool', async () => {
    const { url } = await serveProtected(issuer, server => {
      add(server);
      server.use((call, next) =>
        call.target === 'alias' ? next({ params: { ...call.params, name: 'write' } }) : next(),
      );
    });
    const { error } = await new ModernClient(url, bearer(await issuer.token(url))).call('alias');
    expect(error?.message).toBe('write may not be used by this caller');
  });

  it('are needed on the old transport', async () => {
    const guarded = await serveProtected(issuer, add, { listen: { sse: true } });
    const headers = bearer(await issuer.token(guarded.url));
    const stream = await fetch(guarded.sseUrl as string, { headers });
    const reader = stream.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    const endpoint = new URL(/data: (\S+)/.exec(first)?.[1] as string, guarded.url);
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read' } }),
    });
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toBe(insufficient(guarded, 'files:read'));
    await reader?.cancel();
  });

  it('are never there on a server without protection, but do not matter inside of a process', async () => {
    const server = serverWith(add);
    const { url } = await serve(server);
    const anonymous = new ModernClient(url);
    const refused = await anonymous.call('read');
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toBeNull();
    expect((await anonymous.call('free')).status).toBe(200);
    const client = await connect(server);
    expect((await client.callTool('read')).content).toEqual([{ type: 'text', text: 'read' }]);
    await client.close();
  });

  it('can come from another way to authenticate', async () => {
    const authenticate = () => ({ principal: 'alice', scopes: ['files:read'] });
    const { url } = await serve(serverWith(add), { authenticate });
    const client = new ModernClient(url);
    expect((await client.call('read')).status).toBe(200);
    const refused = await client.call('write');
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_scope", scope="files:write"',
    );
  });

  // covers: 2026-07-28/authorization/no-offline-access-in-challenges
  it.each(['', 'two words', 'quo"te', 'back\\slash', 'ümlaut', 'offline_access'])('cannot be %j', scope => {
    expect(() => serverWith(server => server.tool('x', { scopes: [scope] }, () => 'x'))).toThrow(
      'cannot be a scope',
    );
  });
});

describe.each(ERAS)('a rule, %s', (_, open) => {
  it('is asked once per call, before anything runs', async () => {
    const asked: AccessRequest[] = [];
    const { url } = await serveProtected(issuer, server => {
      server.tool(
        'drop',
        {
          authorize: async request => {
            asked.push(request);
            return request.arguments?.table === 'mine';
          },
          input: { type: 'object', properties: { table: { type: 'string' } } } as const,
        },
        () => 'dropped',
      );
    });
    const client = await open(url, await issuer.token(url));
    const allowed = await client.call('drop', { table: 'mine' });
    expect(allowed.result.content[0].text).toBe('dropped');
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      target: 'drop',
      caller: { subject: 'worker' },
      arguments: { table: 'mine' },
    });
    const refused = await client.call('drop', { table: 'yours' });
    expect(refused.status).toBe(403);
    expect(refused.error?.message).toBe('this caller may not use the target of this request');
    expect(asked).toHaveLength(2);
  });

  it('that fails lets nobody in', async () => {
    const { url, reported } = await serveProtected(issuer, server => {
      const authorize = () => {
        throw new Error('the database is gone');
      };
      server.tool('drop', { authorize }, () => 'dropped');
    });
    const refused = await (await open(url, await issuer.token(url))).call('drop');
    expect(refused.status).toBe(500);
    expect(refused.text).not.toContain('database');
    expect(reported).toHaveLength(1);
  });
});

describe.each(ERAS)('what is hidden, %s', (_, open) => {
  const add = (server: Server) => {
    const hidden = { scopes: ['admin'], hidden: 'unless-allowed' } as const;
    server.tool('shutdown', hidden, () => 'down');
    server.tool(
      'restart',
      { hidden: 'unless-allowed', authorize: ({ caller }) => caller?.subject === 'other' },
      () => 'up',
    );
    server.resource('logs://all', hidden, () => 'logs');
    server.resource('logs://{day}', hidden, () => 'logs');
    server.prompt('audit', hidden, () => 'Audit');
  };

  // covers: 2026-07-28/caching/access-controls-per-primitive, 2026-07-28/tools/access-is-controlled
  it('is listed only for those who may use it', async () => {
    const { url } = await serveProtected(issuer, add);
    const list = async (token: string) => {
      const client = await open(url, token);
      const pages = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'].map(
        async method => (await client.request(method)).result,
      );
      const [tools, resources, templates, prompts] = await Promise.all(pages);
      return [
        ...tools.tools.map((tool: { name: string }) => tool.name),
        ...resources.resources.map((resource: { uri: string }) => resource.uri),
        ...templates.resourceTemplates.map((template: { uriTemplate: string }) => template.uriTemplate),
        ...prompts.prompts.map((prompt: { name: string }) => prompt.name),
      ];
    };
    const worker = await issuer.token(url);
    const admin = await issuer.token(url, { scope: 'admin' });
    const other = await issuer.token(url, { client: 'other' });
    // Twice, so that nothing that was made for one is given to another.
    for (let round = 0; round < 2; round++) {
      expect(await list(worker)).toEqual(['whoami']);
      expect(await list(admin)).toEqual(['whoami', 'shutdown', 'logs://all', 'logs://{day}', 'audit']);
      expect(await list(other)).toEqual(['whoami', 'restart']);
    }
  });

  // covers: 2025-06-18/completion/nothing-is-disclosed
  // covers: 2026-07-28/caching/scope-is-no-access-control
  it.each([
    ['tools/call', { name: 'shutdown' }, { name: 'unknown' }],
    ['tools/call', { name: 'restart' }, { name: 'unknown' }],
    ['resources/read', { uri: 'logs://all' }, { uri: 'unknown://all' }],
    ['resources/read', { uri: 'logs://monday' }, { uri: 'unknown://monday' }],
    ['prompts/get', { name: 'audit' }, { name: 'unknown' }],
  ])('cannot be told from what is not there: %s %j', async (method, hidden, unknown) => {
    const { url } = await serveProtected(issuer, add);
    const client = await open(url, await issuer.token(url));
    const answers = await Promise.all([client.request(method, hidden), client.request(method, unknown)]);
    const [one, two] = answers.map(({ status, error }) =>
      JSON.stringify({ status, error })
        .replaceAll(/shutdown|restart|audit/g, 'unknown')
        .replaceAll('logs:', 'unknown:'),
    );
    expect(one).toBe(two);
    expect(answers[0]?.error).toBeDefined();
  });

  it('can be used by those who may', async () => {
    const { url } = await serveProtected(issuer, add);
    const client = await open(url, await issuer.token(url, { scope: 'admin' }));
    expect((await client.call('shutdown')).result.content[0].text).toBe('down');
  });
});

describe('a list with something hidden', () => {
  it('is for one caller only', async () => {
    const { url } = await serveProtected(issuer, server => {
      server.tool('shutdown', { scopes: ['admin'], hidden: 'unless-allowed' }, () => 'down');
      server.prompt('free', {}, () => 'free');
    });
    const client = new ModernClient(url, bearer(await issuer.token(url)));
    expect((await client.request('tools/list')).result.cacheScope).toBe('private');
    expect((await client.request('prompts/list')).result.cacheScope).toBe('public');
  });

  it('has full pages', async () => {
    const paged = new Server({ name: 'paged', version: '1.0.0' }, { pageSize: 2 });
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const access = 'bd'.includes(name)
        ? ({ hidden: 'unless-allowed', authorize: () => false } as const)
        : {};
      paged.tool(name, access, () => name);
    }
    const { url } = await serve(paged);
    const client = new ModernClient(url);
    const first = (await client.request('tools/list')).result;
    expect(first.tools.map(({ name }: { name: string }) => name)).toEqual(['a', 'c']);
    const second = (await client.request('tools/list', { cursor: first.nextCursor })).result;
    expect(second.tools.map(({ name }: { name: string }) => name)).toEqual(['e', 'f']);
    expect(second.nextCursor).toBeUndefined();
    expect((await client.request('tools/list', { cursor: 'made up' })).error?.code).toBe(-32602);
  });

  it('has to say from whom it hides', () => {
    expect(() => serverWith(server => server.tool('x', { hidden: 'unless-allowed' }, () => 'x'))).toThrow(
      'add scopes or authorize',
    );
  });
});
