import { describe } from 'vitest';
import type { Transport } from './host.js';
import { LEGACY } from './revisions.js';
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
});
