import { expect, it } from 'vitest';
import { isResourceNotFound } from '../../src/node/client/index.js';
import { failure, pair } from '../client-faults/connected.js';
import { ERAS } from '../client-faults/raw-server.js';

// covers: 2026-07-28/basic/older-resource-code-is-accepted, 2026-07-28/resources/older-code-is-accepted
it.each(ERAS)(
  'a resource that a $era server does not have is recognised by either code',
  async ({ serve }) => {
    const uri = 'note://nowhere';
    const { client } = await pair(
      serve({
        'resources/read': ask => {
          const code = Number(ask.message.params.uri.split('#')[1]);
          ask.error(code, 'Resource not found', { data: { uri } });
        },
      }),
    );
    const outcome = async (code: number) =>
      isResourceNotFound(await failure(client.readResource(`${uri}#${code}`)));
    expect(await outcome(-32002)).toBe(true);
    expect(await outcome(-32602)).toBe(true);
    expect(await outcome(-32603)).toBe(false);
  },
);
