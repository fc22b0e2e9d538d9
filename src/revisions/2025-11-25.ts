import { ERROR } from '../protocol/errors.js';
import { revision20260728 as newer } from './2026-07-28.js';
import { FEATURE_NOTIFICATIONS, FEATURE_REQUESTS } from './features.js';
import type { Revision } from './revision.js';

/** The last revision with a handshake: icons, URL elicitation, sampling with tools, closable streams. */
export const revision20251125 = {
  ...newer,
  name: '2025-11-25',
  era: 'legacy',
  requests: new Map([
    ['initialize', undefined],
    ['ping', undefined],
    ['logging/setLevel', 'server.logging'],
    ['resources/subscribe', 'server.resources.subscribe'],
    ['resources/unsubscribe', 'server.resources.subscribe'],
    ...FEATURE_REQUESTS,
  ]),
  notifications: new Map([
    ...FEATURE_NOTIFICATIONS,
    ['notifications/elicitation/complete', 'client.elicitation.url'],
  ]),
  questions: new Map([['ping', undefined], ...newer.questions]),
  clientNotifications: new Map([
    ['notifications/initialized', undefined],
    ['notifications/cancelled', undefined],
    ['notifications/progress', undefined],
    ['notifications/roots/list_changed', 'client.roots.listChanged'],
  ]),
  omit: {
    ...newer.omit,
    result: ['resultType', 'ttlMs', 'cacheScope'],
  },
  structuredContent: 'object',
  booleanProperties: false,
  elicitation: { ...newer.elicitation, ids: true },
  codes: {
    'resource-not-found': ERROR.resourceNotFound,
    'missing-capability': ERROR.internal,
    'no-answer': ERROR.internal,
    'invalid-answer': ERROR.internal,
  },
  retiredCodes: new Map(),
  reservesCodes: false,
  experimentalExtensions: true,
  closableStreams: true,
} as const satisfies Revision;
