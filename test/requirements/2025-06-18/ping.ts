import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'ping/server-answers-promptly',
    level: 'MUST',
    of: 'server',
    page: '/basic/utilities/ping',
    text: 'A server answers a ping promptly with an empty result.',
  },
  {
    id: 'ping/client-answers-promptly',
    level: 'MUST',
    of: 'client',
    page: '/basic/utilities/ping',
    text: 'A client answers a ping promptly with an empty result.',
  },
  {
    id: 'ping/pings-are-periodic',
    level: 'SHOULD',
    of: 'both',
    page: '/basic/utilities/ping',
    text: 'Pings are sent periodically to see whether the connection is healthy.',
  },
  {
    id: 'ping/frequency-is-configurable',
    level: 'SHOULD',
    of: 'both',
    page: '/basic/utilities/ping',
    text: 'How often pings are sent can be configured.',
  },
  {
    id: 'ping/timeout-is-appropriate',
    level: 'SHOULD',
    of: 'both',
    page: '/basic/utilities/ping',
    text: 'The timeout of a ping is appropriate for the network.',
  },
  {
    id: 'ping/no-excessive-pings',
    level: 'SHOULD',
    of: 'both',
    page: '/basic/utilities/ping',
    text: 'There are no more pings than needed.',
  },
  {
    id: 'ping/timeout-is-a-connection-failure',
    level: 'SHOULD',
    of: 'both',
    page: '/basic/utilities/ping',
    text: 'A ping that times out is treated as a failed connection.',
  },
  {
    id: 'ping/failures-are-logged',
    level: 'SHOULD',
    of: 'both',
    page: '/basic/utilities/ping',
    text: 'Failed pings are logged.',
  },
] satisfies readonly Requirement[];
