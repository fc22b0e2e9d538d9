import { ERROR } from '../protocol/errors.js';
import { revision20260728 as newer } from './2026-07-28.js';
import { FEATURE_NOTIFICATIONS, FEATURE_REQUESTS } from './features.js';
import type { Revision } from './revision.js';

/** The last revision with a handshake: icons, URL elicitation, sampling with tools, closable streams. */
export const revision20251125 = {
  ...newer,
  name: '2025-11-25',
  era: 'legacy',
  requests: new Set([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    ...FEATURE_REQUESTS,
  ]),
  notifications: new Set([...FEATURE_NOTIFICATIONS, 'notifications/elicitation/complete']),
  omit: {
    ...newer.omit,
    result: ['resultType', 'ttlMs', 'cacheScope'],
    capabilities: ['extensions'],
  },
  structuredContent: 'object',
  elicitation: { ...newer.elicitation, ids: true },
  codes: {
    'resource-not-found': ERROR.resourceNotFound,
    'missing-capability': ERROR.internal,
  },
  closableStreams: true,
} as const satisfies Revision;
