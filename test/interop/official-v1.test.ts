import { describe, expect, test } from 'vitest';
import type { Transport } from './host.js';
import { LEGACY, NEWEST_LEGACY } from './revisions.js';
import { describeBistro } from './scenario.js';
import { connectV1 } from './v1.js';

const TRANSPORTS: Transport[] = ['HTTP+SSE', 'Streamable HTTP', 'stdio'];

describe('the official client v1', () => {
  for (const transport of TRANSPORTS) {
    for (const know of LEGACY) {
      describeBistro(`over ${transport} at ${know.revision}`, know, () =>
        connectV1(transport, know.revision),
      );
    }
  }

  test.for(TRANSPORTS)(
    'gets the newest revision that it can speak over %s, if it asks for an unknown one',
    async transport => {
      const host = await connectV1(transport, '1999-12-31');
      expect(host.revision).toBe(NEWEST_LEGACY.revision);
      expect((await host.callTool('ring_bell')).isError).toBeFalsy();
      await host.close();
    },
  );
});
