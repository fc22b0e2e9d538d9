import { describe, expect, it } from 'vitest';
import { McpError, type Server } from '../../src/server/index.js';
import { LegacyClient } from './legacy-client.js';
import { ModernClient } from './modern-client.js';
import { serve, serverWith } from './serve.js';

const ID = 'the id of the request';

function restricted(): Server {
  return serverWith(
    server => {
      const no = { authorize: () => false };
      const broken = {
        authorize: () => {
          throw new Error('the rule is broken');
        },
      };
      server.tool('no', no, () => 'x');
      server.tool('broken', broken, () => 'x');
      server.tool('scoped', { scopes: ['write'] }, () => 'x');
      server.prompt('no', no, () => 'x');
      server.prompt('broken', broken, () => 'x');
      server.resource('no://a', no, () => 'x');
      server.resource('broken://a', broken, () => 'x');
    },
    { onError: () => {} },
  );
}

const REFUSED: [method: string, params: object, status: number][] = [
  ['tools/call', { name: 'no' }, 403],
  ['tools/call', { name: 'broken' }, 500],
  ['tools/call', { name: 'scoped' }, 403],
  ['prompts/get', { name: 'no' }, 403],
  ['prompts/get', { name: 'broken' }, 500],
  ['resources/read', { uri: 'no://a' }, 403],
  ['resources/read', { uri: 'broken://a' }, 500],
];

describe('a refusal of access has the id of the request', () => {
  // covers: 2026-07-28/basic/error-has-the-id-of-its-request
  it.each([
    ...REFUSED,
    ['subscriptions/listen', { notifications: { resourceSubscriptions: ['no://a'] } }, 403] as const,
  ])('%s %j, with an envelope', async (method, params, status) => {
    const { url } = await serve(restricted());
    const answer = await new ModernClient(url).request(method, params, { id: ID });
    expect(answer.status).toBe(status);
    expect(answer.last.id).toBe(ID);
  });

  // covers: 2025-06-18/basic/response-has-the-id-of-its-request
  it.each([...REFUSED, ['resources/subscribe', { uri: 'no://a' }, 403] as const])(
    '%s %j, in a session',
    async (method, params, status) => {
      const { url } = await serve(restricted());
      const answer = await (await LegacyClient.open(url)).request(method, params, ID);
      expect(answer.status).toBe(status);
      expect(answer.last.id).toBe(ID);
    },
  );
});

describe('an error code that an access rule chose', () => {
  function throwing(code: number, data?: object): Server {
    return serverWith(server => {
      const authorize = () => {
        throw new McpError(code, 'not today', data);
      };
      server.tool('reserve', { authorize }, () => 'x');
    });
  }

  // covers: 2026-07-28/basic/only-defined-reserved-codes, 2026-07-28/basic/no-codes-of-earlier-revisions
  it.each([
    [-32050, -32603],
    [-32022, -32603],
    [-32042, -32603],
    [-32020, -32603],
    [-32002, -32602],
    [7, 7],
  ])('of %d is sent as %d in 2026-07-28, like those of handlers', async (code, sent) => {
    const { url } = await serve(throwing(code));
    const { error } = await new ModernClient(url).call('reserve');
    expect(error).toMatchObject({ code: sent, message: 'not today' });
  });

  it('is sent as it is in a session', async () => {
    const { url } = await serve(throwing(-32050, { day: 'Monday' }));
    const { error } = await (await LegacyClient.open(url)).call('reserve');
    expect(error).toEqual({ code: -32050, message: 'not today', data: { day: 'Monday' } });
  });
});

describe('a tool with scopes', () => {
  const scoped = () => serverWith(server => server.tool('write', { scopes: ['w'] }, () => 'x'));

  // covers: 2025-06-18/authorization/status-codes
  it('is forbidden at a server that knows no callers, since no sign-in could help', async () => {
    const { url } = await serve(scoped());
    const answer = await new ModernClient(url).call('write');
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toBeNull();
    expect(answer.error?.message).toBe(
      'this request needs the scopes w, but this server has no auth that grants any',
    );
  });

  it('asks an anonymous caller to sign in where authenticate knows callers', async () => {
    const { url } = await serve(scoped(), { authenticate: () => undefined });
    const answer = await new ModernClient(url).call('write');
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer scope="w"');
  });
});
