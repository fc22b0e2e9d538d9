import { describe, expect, it } from 'vitest';
import { Server } from '../../../src/server/index.js';
import { LegacyClient } from '../../http/legacy-client.js';
import { ModernClient } from '../../http/modern-client.js';
import { serve } from '../../http/serve.js';

/** A server that hides a tool and a resource from everybody but ada. */
async function open() {
  const server = new Server({ name: 'x', version: '1' });
  const access = {
    hidden: 'unless-allowed' as const,
    authorize: ({ caller }: { caller: { principal?: string } | undefined }) => caller?.principal === 'ada',
  };
  const input = {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  } as const;
  server.tool('open', {}, () => 'open');
  server.tool('secret', { input, ...access }, () => 'secret');
  server.resource('note://open', {}, () => 'open');
  server.resource('note://secret', access, () => 'secret');
  const authenticate = ({ header }: { header(name: string): string | undefined }) => {
    const principal = header('x-user');
    return principal === undefined ? undefined : { principal };
  };
  return { server, url: (await serve(server, { authenticate })).url };
}

const ADA = { 'x-user': 'ada' };
const BOB = { 'x-user': 'bob' };

describe('what is hidden from a caller looks as if it did not exist:', () => {
  it('a tool whose arguments have headers', async () => {
    const { url } = await open();
    const bob = new ModernClient(url, BOB);
    const [hidden, unknown] = [
      await bob.call('secret', { region: 'eu' }),
      await bob.call('nothing', { region: 'eu' }),
    ];
    expect([hidden.status, hidden.error?.code]).toEqual([unknown.status, unknown.error?.code]);
    expect(hidden.error?.message.replace('secret', 'nothing')).toBe(unknown.error?.message);
    const ada = new ModernClient(url, ADA);
    expect((await ada.call('secret', { region: 'eu' })).error?.code).toBe(-32020);
    const headers = { 'mcp-param-region': 'eu' };
    expect((await ada.call('secret', { region: 'eu' }, { headers })).result.content[0].text).toBe('secret');
  });

  it('a resource to subscribe to', async () => {
    const { url } = await open();
    const bob = await LegacyClient.open(url, { headers: BOB });
    const subscribe = async (client: LegacyClient, uri: string) => {
      const { status, error } = await client.request('resources/subscribe', { uri });
      return [status, error?.code];
    };
    expect(await subscribe(bob, 'note://secret')).toEqual([200, -32002]);
    expect(await subscribe(bob, 'note://nothing')).toEqual([200, -32002]);
    expect(await subscribe(bob, 'note://open')).toEqual([200, undefined]);
    expect(await subscribe(await LegacyClient.open(url, { headers: ADA }), 'note://secret')).toEqual([
      200,
      undefined,
    ]);
  });

  it('a resource to listen to', async () => {
    const { url } = await open();
    const resourceSubscriptions = ['note://secret', 'note://nothing', 'note://open'];
    for (const [user, expected] of [
      [BOB, ['note://open']],
      [ADA, ['note://secret', 'note://open']],
    ] as const) {
      const stream = await new ModernClient(url, user).listen({ resourceSubscriptions });
      expect((await stream.message()).params.notifications).toEqual({ resourceSubscriptions: expected });
      stream.cut();
    }
  });
});
