import { FEATURE_NOTIFICATIONS, FEATURE_REQUESTS } from './features.js';
import type { Revision } from './revision.js';

/** The newest revision: stateless, with an envelope on every request. The server core speaks its vocabulary. */
export const revision20260728 = {
  name: '2026-07-28',
  era: 'modern',
  requests: new Set(['server/discover', 'subscriptions/listen', ...FEATURE_REQUESTS]),
  notifications: new Set([...FEATURE_NOTIFICATIONS, 'notifications/subscriptions/acknowledged']),
  questions: new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']),
  omit: {
    result: [],
    tool: [],
    resource: [],
    template: [],
    prompt: [],
    argument: [],
    block: [],
    contents: [],
    annotations: [],
    implementation: [],
    capabilities: [],
    progress: [],
  },
  replace: {},
  structuredContent: 'any',
  codes: {},
  argumentErrors: 'result',
  elicitation: { url: true, ids: false, mode: true, schema: 'full' },
  reservedMetaKeys: 'second-label',
  samplingTools: true,
  batches: false,
  closableStreams: false,
} as const satisfies Revision;
