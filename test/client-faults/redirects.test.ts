import { expect, test } from 'vitest';
import { CannotConnect, HttpError } from '../../src/node/client/index.js';
import { failOnUnhandled } from '../faults/unhandled.js';
import { connected, expectUsable, failure, pair, serveRaw } from './connected.js';
import { type Ask, modern } from './raw-server.js';

failOnUnhandled();

const SECRET = { headers: { Authorization: 'Bearer secret', cookie: 'id=secret' } };

/** A server whose tool `away` redirects, with a body that never ends. */
function redirecting(status: number, location: () => string) {
  return modern({
    'tools/call': ask => {
      if (ask.message.params.name === 'fine') return ask.text('fine');
      if (ask.request.url === '/there') return ask.text('there');
      ask.response.writeHead(status, { location: location() }).write('x');
    },
  });
}

// covers: 2025-11-25/transports/session-ids-are-handled-securely
test.for([301, 302, 303, 307, 308])('a redirect to another server with %i is refused', async status => {
  const other = await serveRaw(ask => ask.send(200));
  const { client, server } = await pair(
    redirecting(status, () => other.url),
    SECRET,
  );
  const error = await failure(client.callTool('away'));
  expect(error).toBeInstanceOf(HttpError);
  expect(error).toMatchObject({ status, message: expect.stringContaining(new URL(other.url).origin) });
  expect(error.message).not.toContain('secret');
  await server.of('tools/call')[0]!.gone;
  expect(other.asks).toEqual([]);
  await expectUsable(client);
});

test('a redirect to another server is refused when the client connects', async () => {
  const other = await serveRaw(ask => ask.send(200));
  const server = await serveRaw(ask => ask.send(308, '', { location: other.url }));
  const error = await failure(connected(server.url, SECRET));
  expect(error).toBeInstanceOf(CannotConnect);
  expect(error.message).toContain(new URL(other.url).origin);
  expect(other.asks).toEqual([]);
});

test.for([307, 308])(
  'a redirect within the server with %i is followed with all that was sent',
  async status => {
    const { client, server } = await pair(
      redirecting(status, () => '/there'),
      SECRET,
    );
    expect(await client.callTool('away', { a: 1 })).toMatchObject({ content: [{ text: 'there' }] });
    const [first, second] = server.of('tools/call') as [Ask, Ask];
    expect(second.request.method).toBe('POST');
    expect(second.message).toEqual(first.message);
    expect(second.request.headers.authorization).toBe('Bearer secret');
    expect(second.request.headers['mcp-name']).toBe('away');
    await expectUsable(client);
  },
);

test.for([301, 302, 303])(
  'a redirect within the server with %i would lose the message, and is refused',
  async status => {
    const { client, server } = await pair(redirecting(status, () => '/there'));
    expect(await failure(client.callTool('away'))).toMatchObject({ name: 'HttpError', status });
    expect(server.of('tools/call')).toHaveLength(1);
    await expectUsable(client);
  },
);

test.for(['http://', 'javascript:alert(1)', 'file:///etc/passwd', 'https://127.0.0.1', '//127.0.0.1:1/mcp'])(
  'a redirect to "%s" is refused',
  async location => {
    const { client } = await pair(redirecting(307, () => location));
    expect(await failure(client.callTool('away'))).toBeInstanceOf(HttpError);
    await expectUsable(client);
  },
);

test('a redirect in a circle ends', async () => {
  const { client, server } = await pair(redirecting(307, () => '/mcp'));
  const error = await failure(client.callTool('away'));
  expect(error).toMatchObject({ name: 'HttpError', message: expect.stringContaining('without end') });
  expect(server.of('tools/call').length).toBeLessThan(6);
  await expectUsable(client);
});

test('the connections of responses that nobody reads are not left open', async () => {
  const { client, server } = await pair(redirecting(307, () => '/there'));
  for (let call = 0; call < 5; call++) await client.callTool('away');
  for (const ask of server.of('tools/call')) if (ask.request.url === '/mcp') await ask.gone;
});
