import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'transports/http-post-has-a-message-or-a-batch',
    level: 'MUST',
    of: 'client',
    page: '/basic/transports',
    text: 'The body of a POST is one message, a batch of requests and notifications, or a batch of responses.',
  },
  {
    id: 'transports/http-batch-without-requests-gets-202',
    level: 'MUST',
    of: 'server',
    page: '/basic/transports',
    text: 'A batch of notifications and responses that is accepted gets 202 and no body.',
  },
  {
    id: 'transports/http-refused-batch-gets-an-error-status',
    level: 'MUST',
    of: 'server',
    page: '/basic/transports',
    text: 'A batch that cannot be accepted gets an HTTP error status.',
  },
  {
    id: 'transports/http-batch-with-requests-gets-json-or-events',
    level: 'MUST',
    of: 'server',
    page: '/basic/transports',
    text: 'A batch with requests is answered with JSON or an event stream.',
  },
  {
    id: 'transports/http-stream-has-every-response',
    level: 'SHOULD',
    of: 'server',
    page: '/basic/transports',
    text: 'The stream of a batch carries one response for each request.',
  },
  {
    id: 'transports/http-stream-ends-after-all-responses',
    level: 'SHOULD',
    of: 'server',
    page: '/basic/transports',
    text: 'The stream of a batch ends after all responses, and not before.',
  },
] satisfies readonly Requirement[];
