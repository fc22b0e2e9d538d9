import { describe, expect, it } from 'vitest';
import { Server } from '../../src/server/index.js';
import { failure, pair } from '../client-faults/connected.js';
import { ERAS } from '../client-faults/raw-server.js';

const NAMES = ['acme/métho', 'acme/日本', ' acme/x', 'acme/x ', 'acme/\r\nx-evil: y', 'tools/é', ''];

describe.each(NAMES)('the method name %j, which no header can carry,', name => {
  it.each(ERAS)('is not sent to a $era server', async ({ serve }) => {
    const { client, server } = await pair(serve({}));
    const before = server.asks.length;
    expect(await failure(client.request(name))).toMatchObject({ kind: 'usage' });
    expect(await failure(client.begin(name))).toMatchObject({ kind: 'usage' });
    expect(await failure(client.notify(name))).toMatchObject({ kind: 'usage' });
    expect(server.asks).toHaveLength(before);
  });

  it('is refused when a server registers it', () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    expect(() => server.method(name, () => ({}))).toThrow(expect.objectContaining({ kind: 'usage' }));
  });
});
