import { describe } from 'vitest';
import type { Transport } from './desk.js';
import type { Connect } from './host.js';
import { connectV1, connectV2 } from './official.js';
import { connectRaw } from './raw.js';
import { describeDesk } from './scenario.js';

const HANDSHAKE = ['2025-06-18', '2025-11-25'];
const MODERN = '2026-07-28';

const HANDSHAKE_TRANSPORTS: Transport[] = ['stdio', 'HTTP', 'HTTP+SSE'];
const MODERN_TRANSPORTS: Transport[] = ['stdio', 'HTTP'];

const CLIENTS: { name: string; connect: Connect; isModern: boolean }[] = [
  { name: 'a raw client', connect: connectRaw, isModern: true },
  { name: 'the official client v1', connect: connectV1, isModern: false },
  { name: 'the official client v2', connect: connectV2, isModern: true },
];

describe.each(CLIENTS)('$name', ({ connect, isModern }) => {
  for (const revision of HANDSHAKE) {
    describe.each(HANDSHAKE_TRANSPORTS)(`at ${revision} over %s`, transport => {
      describeDesk(revision, () => connect(transport, revision));
    });
  }
  if (!isModern) return;
  describe.each(MODERN_TRANSPORTS)(`at ${MODERN} over %s`, transport => {
    describeDesk(MODERN, () => connect(transport, MODERN));
  });
});
