import { ERROR } from '../protocol/errors.js';
import { FEATURE_NOTIFICATIONS, FEATURE_QUESTIONS, FEATURE_REQUESTS } from './features.js';
import type { Revision } from './revision.js';

/** The newest revision: stateless, with an envelope on every request. The server core speaks its vocabulary. */
export const revision20260728 = {
  name: '2026-07-28',
  era: 'modern',
  requests: new Map([
    ['server/discover', undefined],
    ['subscriptions/listen', undefined],
    ...FEATURE_REQUESTS,
  ]),
  notifications: new Map([...FEATURE_NOTIFICATIONS, ['notifications/subscriptions/acknowledged', undefined]]),
  questions: FEATURE_QUESTIONS,
  clientNotifications: new Map([['notifications/cancelled', undefined]]),
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
    completion: [],
    progress: [],
  },
  replace: {},
  structuredContent: 'any',
  booleanProperties: true,
  codes: {},
  retiredCodes: new Map<number, number>([
    [ERROR.resourceNotFound, ERROR.invalidParams],
    [ERROR.urlElicitationRequired, ERROR.internal],
  ]),
  reservesCodes: true,
  argumentErrors: 'result',
  elicitation: { url: true, ids: false, mode: true, schema: 'full' },
  reservedMetaKeys: 'second-label',
  samplingTools: true,
  experimentalExtensions: false,
  batches: false,
  errorsWithoutId: true,
  closableStreams: false,
} as const satisfies Revision;
