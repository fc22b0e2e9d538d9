import { describe, expect, test } from 'vitest';
import { connect } from '../../src/node/client/index.js';
import { failure, serveRaw } from '../client-faults/connected.js';
import { legacy } from '../client-faults/raw-server.js';

describe.each([
  ['that the client does not speak', '1999-12-31', undefined],
  ['other than the one that was asked for', '2025-03-26', '2025-06-18'],
])('a server that answers initialize with a revision %s', (_name, answered, revision) => {
  async function greet() {
    const server = await serveRaw(
      legacy({
        initialize: ask => {
          const serverInfo = { name: 'raw', version: '1.0.0' };
          const result = { protocolVersion: answered, capabilities: {}, serverInfo };
          ask.result(result, { 'mcp-session-id': 's-1' });
        },
      }),
    );
    const error = await failure(connect(server.url, { revision, onWarning: () => {} }));
    return { server, error };
  }

  // covers: 2025-06-18/lifecycle/client-leaves-an-unknown-version
  test('is not told that the client is initialized', async () => {
    const { server, error } = await greet();
    expect(error.message).toContain(answered);
    expect(server.of('notifications/initialized')).toEqual([]);
  });

  // covers: 2025-06-18/transports/http-client-deletes-its-session
  test('is told that its session is over', async () => {
    const { server } = await greet();
    expect(server.of('DELETE').map(ask => ask.session)).toEqual(['s-1']);
  });
});
