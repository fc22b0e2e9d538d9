import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Server } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';
import { createGate } from './gate.js';
import { LegacyClient } from './legacy-client.js';
import { postJson, readAnswer } from './send.js';
import { serve, serverWith } from './serve.js';

const DAY = 24 * 3600_000;
const KEY = 'a key of at least thirty-two bytes';
const OTHER_KEY = 'another key, also of thirty-two bytes';

function remembering(): Server {
  return serverWith(server => {
    server.tool(
      'whoami',
      {},
      (_args, ctx) => `${ctx.client.info?.name} ${ctx.revision} ${ctx.caller?.principal}`,
    );
    server.tool('visit', {}, (_args, ctx) => {
      const visits = ((ctx.session?.values.get('visits') as number) ?? 0) + 1;
      ctx.session?.values.set('visits', visits);
      return visits;
    });
  });
}

/** Tells users apart by what they send as a token. */
function authenticate({ header }: { header(name: string): string | undefined }) {
  const token = header('authorization');
  if (token === undefined) throw new Error('who are you?');
  return { principal: token };
}

async function text(client: LegacyClient, tool: string): Promise<string> {
  return (await client.call(tool)).result.content[0].text;
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a session', () => {
  // covers: 2025-06-18/transports/http-missing-session-id-gets-400
  test('is refused with 400 where its id is missing, and with 404 where nobody knows it', async () => {
    const { url } = await serve(remembering());
    const client = await LegacyClient.open(url);
    const ping = { jsonrpc: '2.0', id: 9, method: 'ping' };
    const missing = await readAnswer(await postJson(url, ping, { 'mcp-protocol-version': '2025-06-18' }));
    expect(missing).toMatchObject({
      status: 400,
      last: { id: 9, error: { message: expect.stringContaining('Mcp-Session-Id') } },
    });
    const half = client.session.slice(0, -10);
    for (const session of ['unknown', '', half, `${client.session}A`, 'a'.repeat(10_000), '../etc/passwd']) {
      const { status, last } = await readAnswer(await client.post(ping, { 'mcp-session-id': session }));
      expect([status, last.id], session).toEqual([404, 9]);
    }
    expect((await client.request('ping')).status).toBe(200);
  });

  // covers: 2025-06-18/transports/http-session-id-is-unique-and-secure
  test('cannot be forged by changing a character of the id', async () => {
    const { url } = await serve(remembering());
    const client = await LegacyClient.open(url);
    for (let at = 0; at < client.session.length; at += 7) {
      const other = client.session[at] === 'A' ? 'B' : 'A';
      const forged = client.session.slice(0, at) + other + client.session.slice(at + 1);
      expect((await client.get({ 'mcp-session-id': forged })).status).toBe(404);
    }
  });

  test('tells nothing about the client in its id', async () => {
    const { url } = await serve(remembering());
    const { session } = await LegacyClient.open(url, { capabilities: { experimental: { secret: {} } } });
    const bytes = Buffer.from(session, 'base64url').toString('latin1');
    expect(session + bytes).not.toMatch(/secret|raw|2025/);
  });

  test('knows its revision without a version header', async () => {
    const { url } = await serve(remembering());
    const client = await LegacyClient.open(url, { revision: '2025-11-25' });
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } };
    const { result } = await readAnswer(await postJson(url, body, { 'mcp-session-id': client.session }));
    expect(result.content[0].text).toBe('raw 2025-11-25 undefined');
  });

  // covers: 2025-06-18/transports/http-unknown-version-header-gets-400
  test.for(['POST', 'GET', 'DELETE'])(
    'refuses a %s with an unknown version header with 400',
    async method => {
      const { url } = await serve(remembering());
      const client = await LegacyClient.open(url);
      for (const version of ['1999-01-01', '2099-01-01', 'latest', '2025-06-18, 2025-06-18']) {
        const response = await fetch(url, {
          method,
          headers: {
            ...client.headers,
            accept: 'application/json, text/event-stream',
            'content-type': 'application/json',
            'mcp-protocol-version': version,
          },
          ...(method === 'POST' && { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }),
        });
        expect(response.status, version).toBe(400);
        expect(await response.json()).toMatchObject({
          error: { message: expect.stringContaining('2025-11-25') },
        });
      }
      expect((await client.request('ping')).status).toBe(200);
    },
  );

  test('keeps the values of the author apart from those of others', async () => {
    const { url } = await serve(remembering());
    const [one, other] = [await LegacyClient.open(url), await LegacyClient.open(url)];
    expect([await text(one, 'visit'), await text(one, 'visit'), await text(other, 'visit')]).toEqual([
      '1',
      '2',
      '1',
    ]);
  });

  test('is over after seven days, used or not', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { url } = await serve(remembering());
    const [idle, busy] = [await LegacyClient.open(url), await LegacyClient.open(url)];
    for (let day = 0; day < 6; day++) {
      vi.setSystemTime(Date.now() + DAY);
      expect((await busy.request('ping')).status).toBe(200);
    }
    vi.setSystemTime(Date.now() + DAY - 60_000);
    expect((await idle.request('ping')).status).toBe(200);
    expect((await busy.request('ping')).status).toBe(200);
    vi.setSystemTime(Date.now() + 120_000);
    expect((await idle.request('ping')).status).toBe(404);
    expect((await busy.request('ping')).status).toBe(404);
  });

  test('still knows who it is after half an hour of silence, when it may have been let go of', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { url } = await serve(remembering());
    const [silent, other] = [await LegacyClient.open(url), await LegacyClient.open(url)];
    expect(await text(silent, 'visit')).toBe('1');
    vi.setSystemTime(Date.now() + 31 * 60_000);
    // The sessions that nobody uses go when others are used.
    for (let n = 0; n < 3; n++) await text(other, 'visit');
    expect(await text(silent, 'whoami')).toBe('raw 2025-06-18 undefined');
  });

  test('has an id that fits into a header with the capabilities of real clients', async () => {
    const { url } = await serve(remembering());
    const capabilities = {
      roots: { listChanged: true },
      sampling: { tools: {}, context: {} },
      elicitation: { form: {}, url: {} },
      tasks: {
        list: {},
        cancel: {},
        requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
      },
      experimental: { 'com.example/one': {}, 'com.example/two': {} },
    };
    expect((await LegacyClient.open(url, { capabilities })).session.length).toBeLessThan(1024);
  });
});

describe('a session that has to make room for others', () => {
  test('is over if its log level would be forgotten, and goes on if there is nothing to forget', async () => {
    const { url } = await serve(
      serverWith(server => server.tool('log', {}, (_, ctx) => void ctx.log.info('hello'))),
      { maxHeldBytes: 100_000 },
    );
    const [plain, quiet] = [await LegacyClient.open(url), await LegacyClient.open(url)];
    await quiet.request('logging/setLevel', { level: 'emergency' });
    expect((await quiet.request('ping')).status).toBe(200);
    for (let n = 0; n < 200; n++) {
      await (await LegacyClient.open(url)).request('logging/setLevel', { level: 'error' });
    }
    expect((await quiet.request('ping')).status).toBe(404);
    expect((await plain.request('ping')).status).toBe(200);
  });
});

describe('DELETE', () => {
  // covers: 2025-06-18/transports/http-ended-session-gets-404
  test('ends the session also for the other handlers of the process', async () => {
    const keys = freshKeys();
    const server = serverWith(() => {});
    const [here, there] = [await serve(server, { keys }), await serve(server, { keys })];
    const client = await LegacyClient.open(here.url);
    const elsewhere = new LegacyClient(there.url, client);
    expect((await elsewhere.request('ping')).status).toBe(200);
    expect((await client.delete()).status).toBe(204);
    expect((await elsewhere.request('ping')).status).toBe(404);
    const later = await serve(
      serverWith(() => {}),
      { keys },
    );
    expect((await new LegacyClient(later.url, client).request('ping')).status).toBe(404);
  });

  // covers: 2025-06-18/transports/http-ended-session-gets-404
  test('ends the session: everything after it is 404', async () => {
    const { url } = await serve(remembering());
    const client = await LegacyClient.open(url);
    const other = await LegacyClient.open(url);
    expect((await client.delete()).status).toBe(204);
    expect((await client.request('ping')).status).toBe(404);
    expect((await client.get()).status).toBe(404);
    expect((await client.delete()).status).toBe(404);
    expect((await client.notify('notifications/initialized')).status).toBe(404);
    expect((await other.request('ping')).status).toBe(200);
  });

  test('ends its streams and its calls', async () => {
    const started = createGate();
    const aborted = createGate();
    const { url } = await serve(
      serverWith(server => {
        server.tool('endless', {}, async (_args, ctx) => {
          ctx.signal.addEventListener('abort', () => aborted.open());
          ctx.log.info('started');
          started.open();
          await new Promise(() => {});
        });
      }),
    );
    const client = await LegacyClient.open(url);
    const [notices, call] = [await client.notices(), await client.stream('endless')];
    await started.passed;
    await client.delete();
    await aborted.passed;
    expect(await notices.ended()).toBe(true);
    expect(await call.ended()).toBe(true);
  });

  test('needs a session id', async () => {
    const { url } = await serve(remembering());
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(400);
    expect((await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': 'nobody' } })).status).toBe(
      404,
    );
  });
});

describe('another method', () => {
  test.for(['PUT', 'PATCH', 'HEAD'])('%s is not allowed', async method => {
    const { url } = await serve(remembering());
    const response = await fetch(url, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST, GET, DELETE');
  });
});

describe('a session of somebody', () => {
  // covers: 2025-06-18/security/session-ids-are-bound-to-users
  test('is 404 for everybody else, whatever they try', async () => {
    const { url } = await serve(remembering(), { authenticate });
    const owner = await LegacyClient.open(url, { headers: { authorization: 'alice' } });
    expect(await text(owner, 'whoami')).toBe('raw 2025-06-18 alice');
    const thief = new LegacyClient(url, owner, { authorization: 'mallory' });
    expect((await thief.request('ping')).status).toBe(404);
    expect((await thief.get()).status).toBe(404);
    expect((await thief.delete()).status).toBe(404);
    expect((await thief.answer(1, {})).status).toBe(404);
    expect((await owner.request('ping')).status).toBe(200);
  });

  // covers: 2025-06-18/security/sessions-are-no-authentication
  test('cannot be used without being somebody: 401 that says how to be', async () => {
    const { url } = await serve(remembering(), { authenticate });
    const owner = await LegacyClient.open(url, { headers: { authorization: 'alice' } });
    const response = await postJson(
      url,
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { 'mcp-session-id': owner.session },
    );
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(await response.text()).not.toContain('who are you');
  });
});

describe('keys', () => {
  test('let several servers in one process serve the same session', async () => {
    const [one, two] = [
      await serve(remembering(), { keys: [KEY] }),
      await serve(remembering(), { keys: [KEY] }),
    ];
    const client = await LegacyClient.open(one.url);
    expect(await text(new LegacyClient(two.url, client), 'whoami')).toBe('raw 2025-06-18 undefined');
  });

  test('that are others do not open the session', async () => {
    const [one, two] = [
      await serve(remembering(), { keys: [KEY] }),
      await serve(remembering(), { keys: [OTHER_KEY] }),
    ];
    const client = await LegacyClient.open(one.url);
    expect((await new LegacyClient(two.url, client).request('ping')).status).toBe(404);
  });

  test('can be changed without ending sessions: the first seals, all open', async () => {
    const before = await serve(remembering(), { keys: [KEY] });
    const during = await serve(remembering(), { keys: [OTHER_KEY, KEY] });
    const after = await serve(remembering(), { keys: [OTHER_KEY] });
    const old = await LegacyClient.open(before.url);
    const young = await LegacyClient.open(during.url);
    const status = async (url: string, client: LegacyClient) =>
      (await new LegacyClient(url, client).request('ping')).status;
    expect([
      await status(before.url, old),
      await status(during.url, old),
      await status(after.url, old),
    ]).toEqual([200, 200, 404]);
    expect([
      await status(before.url, young),
      await status(during.url, young),
      await status(after.url, young),
    ]).toEqual([404, 200, 200]);
  });

  test('of a server with another name do not open the session', async () => {
    const { Server } = await import('../../src/server/index.js');
    const one = await serve(remembering(), { keys: [KEY] });
    const two = await serve(new Server({ name: 'somebody-else', version: '1.0.0' }), { keys: [KEY] });
    const client = await LegacyClient.open(one.url);
    expect((await new LegacyClient(two.url, client).request('ping')).status).toBe(404);
  });

  test('that are too short are refused with the way to make one', async () => {
    await expect(serve(remembering(), { keys: ['short'] })).rejects.toThrow(/at least 32 bytes.*randomBytes/);
  });

  test('differ from process to process when none are given', async () => {
    const [one, two] = [await serve(remembering()), await serve(remembering())];
    const client = await LegacyClient.open(one.url);
    expect((await new LegacyClient(two.url, client).request('ping')).status).toBe(404);
  });
});
