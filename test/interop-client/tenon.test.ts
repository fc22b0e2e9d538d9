import { describe } from 'vitest';
import { LEGACY, MODERN, NEWEST_LEGACY } from '../interop/revisions.js';
import { describeBistro } from '../interop/scenario.js';
import { connectTenon } from './tenon.js';

describe('our own server', () => {
  for (const way of ['in memory', 'over Streamable HTTP', 'over stdio'] as const) {
    describeBistro(`${way}, left to find out`, MODERN, () => connectTenon(way));
    for (const know of [...LEGACY, MODERN]) {
      describeBistro(`${way} at ${know.revision}`, know, () => connectTenon(way, know.revision));
    }
  }
  for (const know of LEGACY) {
    describeBistro(`over HTTP+SSE at ${know.revision}`, know, () =>
      connectTenon('over HTTP+SSE', know.revision),
    );
  }
  describeBistro('over Streamable HTTP, at the address for HTTP+SSE', NEWEST_LEGACY, () =>
    connectTenon('over Streamable HTTP at /sse', NEWEST_LEGACY.revision),
  );
});
