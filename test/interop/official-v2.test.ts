import { describe } from 'vitest';
import type { Transport } from './host.js';
import { LEGACY, MODERN } from './revisions.js';
import { describeBistro } from './scenario.js';
import { connectV2 } from './v2.js';

describe('the official client v2', () => {
  for (const transport of ['HTTP+SSE', 'Streamable HTTP', 'stdio'] satisfies Transport[]) {
    for (const know of LEGACY) {
      const mode = { handshake: know.revision };
      describeBistro(`over ${transport} at ${know.revision}`, know, () => connectV2(transport, mode));
    }
  }
  for (const transport of ['Streamable HTTP', 'stdio'] satisfies Transport[]) {
    const mode = { pin: MODERN.revision };
    describeBistro(`over ${transport}, pinned to ${MODERN.revision}`, MODERN, () =>
      connectV2(transport, mode),
    );
    describeBistro(`over ${transport}, left to find out`, MODERN, () => connectV2(transport, 'auto'));
  }
});
