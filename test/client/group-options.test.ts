import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bearer } from '../../src/client/auth/index.js';
import type { ConnectAll, ConnectOptions } from '../../src/client/index.js';
import { UsageError } from '../../src/client/index.js';
import { connectAll } from '../../src/node/client/index.js';
import { nodeHandler } from '../../src/node/index.js';
import { Server } from '../../src/server/index.js';
import { ASKING, askingServer, open, serve } from './servers.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A server over HTTP that keeps the headers of all requests. */
async function overheard(name: string): Promise<{ url: string; heard: IncomingHttpHeaders[] }> {
  const server = new Server({ name, version: '1.0.0' });
  server.tool('greet', {}, () => `hello from ${name}`);
  const handle = nodeHandler(server);
  const heard: IncomingHttpHeaders[] = [];
  const http = createServer((request, response) => {
    heard.push(request.headers);
    handle(request, response);
  });
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    http.closeAllConnections();
    http.close();
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, heard };
}

async function openAll(...args: Parameters<ConnectAll>) {
  const group = await connectAll(...args);
  cleanups.push(() => group.close());
  return group;
}

describe.each(ASKING)('servers of %s in a group', revision => {
  // covers: 2025-06-18/authorization/client-sends-only-tokens-of-the-servers-as
  // covers: 2026-07-28/authorization/token-in-the-header, 2026-07-28/authorization/token-with-every-request
  it('get their own tokens and headers, and nothing of each other', async () => {
    const [files, bistro, open] = await Promise.all(['files', 'bistro', 'open'].map(overheard));
    const group = await openAll(
      {
        files: { target: files!.url, auth: bearer('files-token'), headers: { 'x-key': 'files-key' } },
        bistro: { target: bistro!.url, auth: bearer('bistro-token'), headers: { 'x-key': 'bistro-key' } },
        open: open!.url,
      },
      { revision },
    );
    for (const name of group.servers) await group.callTool(`${name}__greet`);
    expect(files!.heard.length).toBeGreaterThan(1);
    for (const headers of files!.heard)
      expect(headers).toMatchObject({ authorization: 'Bearer files-token', 'x-key': 'files-key' });
    for (const headers of bistro!.heard)
      expect(headers).toMatchObject({ authorization: 'Bearer bistro-token', 'x-key': 'bistro-key' });
    for (const headers of open!.heard) {
      expect(headers).not.toHaveProperty('authorization');
      expect(headers).not.toHaveProperty('x-key');
    }
  });

  // covers: 2025-06-18/elicitation/user-interface-names-the-server
  // covers: 2025-11-25/elicitation/client-names-the-server, 2025-11-25/elicitation/ui-names-the-server
  // covers: 2026-07-28/elicitation/client-names-the-server, 2026-07-28/elicitation/ui-names-the-server
  it('are named to the handlers that they share', async () => {
    const asked: string[] = [];
    const form = z.object({ n: z.number() });
    const group = await openAll(
      {
        one: await serve(askingServer(form)),
        two: {
          target: askingServer(form),
          onElicit: (_form, { server }) => {
            asked.push(`own ${server}`);
            return { action: 'decline' };
          },
        },
        three: { target: askingServer(form), onElicit: undefined },
      },
      {
        revision,
        onElicit: (_form, { server }) => {
          asked.push(server);
          return { action: 'decline' };
        },
      },
    );
    for (const name of group.servers) await group.callTool(`${name}__ask`);
    expect(asked).toEqual(['one', 'own two', 'three']);
  });

  it('are named to handlers of every kind', async () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    server.tool('all', {}, async (_args, ctx) => {
      ctx.log.info('cooking');
      await ctx.roots();
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'hi' } }];
      await ctx.sample({ messages, maxTokens: 10 });
      return 'done';
    });
    const told: Record<string, string> = {};
    const options: ConnectOptions = {
      revision,
      roots: context => {
        told.roots = context.server;
        return [];
      },
      onSample: (_params, context) => {
        told.onSample = context.server;
        return { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' };
      },
      onLog: (_message, context) => {
        told.onLog = context.server;
      },
    };
    const group = await openAll({ bistro: { target: await serve(server), ...options } });
    await group.callTool('bistro__all');
    expect(told).toEqual({ roots: 'bistro', onSample: 'bistro', onLog: 'bistro' });
    const url = await serve(server);
    const single = await open(`${url}?secret=1`, options);
    await single.callTool('all');
    expect(told).toEqual({ roots: url, onSample: url, onLog: url });
    const inProcess = await open(server, options);
    await inProcess.callTool('all');
    expect(told.roots).toBe('bistro');
    const named = await open(server, { ...options, serverName: 'kitchen' });
    await named.callTool('all');
    expect(told).toEqual({ roots: 'kitchen', onSample: 'kitchen', onLog: 'kitchen' });
  });
});

describe('what belongs to one server', () => {
  it.each([
    ['auth', bearer('token')],
    ['headers', { authorization: 'Bearer token' }],
    ['cachePartition', 'ada'],
    ['negotiated', { revision: '2025-06-18' }],
    ['serverName', 'kitchen'],
  ])('cannot be given to a whole group: %s', async (option, value) => {
    const { url, heard } = await overheard('bistro');
    const failing = connectAll({ bistro: url }, { [option]: value });
    await expect(failing).rejects.toThrow(UsageError);
    await expect(failing).rejects.toThrow(
      `${option} is for one server and not for the whole group; pass it with its server: connectAll({ bistro: { target, ${option} } })`,
    );
    expect(heard).toEqual([]);
  });

  it('is refused by the compiler, too', () => {
    const refused = () => [
      // @ts-expect-error: a token is for one server.
      connectAll({}, { auth: bearer('token') }),
      // @ts-expect-error: headers may hold a token.
      connectAll({}, { headers: { authorization: 'Bearer token' } }),
    ];
    expect(refused).toBeTypeOf('function');
  });
});
