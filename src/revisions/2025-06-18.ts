import { ERROR } from '../protocol/errors.js';
import { revision20251125 as newer } from './2025-11-25.js';
import { without } from './features.js';
import type { Revision } from './revision.js';

/** Elicitation by form, structured tool output, resource links, titles; no icons yet. */
export const revision20250618 = {
  ...newer,
  name: '2025-06-18',
  notifications: without(newer.notifications, 'notifications/elicitation/complete'),
  omit: {
    ...newer.omit,
    tool: ['icons'],
    resource: ['icons'],
    template: ['icons'],
    prompt: ['icons'],
    implementation: ['icons', 'description', 'websiteUrl'],
    capabilities: ['tasks'],
  },
  codes: { ...newer.codes, 'page-required': ERROR.internal },
  argumentErrors: 'error',
  elicitation: { url: false, ids: false, mode: false, schema: 'plain' },
  reservedMetaKeys: 'any-label',
  samplingTools: false,
  errorsWithoutId: false,
  closableStreams: false,
} as const satisfies Revision;
