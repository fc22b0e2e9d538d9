import { ERROR } from '../protocol/errors.js';
import { revision20260728 as newer } from './2026-07-28.js';
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
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'prompts/list',
    'prompts/get',
    'completion/complete',
  ]),
  notifications: new Set([
    'notifications/cancelled',
    'notifications/progress',
    'notifications/message',
    'notifications/tools/list_changed',
    'notifications/prompts/list_changed',
    'notifications/resources/list_changed',
    'notifications/resources/updated',
    'notifications/elicitation/complete',
  ]),
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
