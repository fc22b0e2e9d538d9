import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'transports/sse-origin-is-validated',
    level: 'MUST',
    of: 'server',
    page: '/basic/transports',
    text: 'A server validates the `Origin` header of every connection.',
  },
  {
    id: 'transports/sse-local-server-binds-to-localhost',
    level: 'SHOULD',
    of: 'server',
    page: '/basic/transports',
    text: 'A local server binds to localhost only.',
  },
  {
    id: 'transports/sse-connections-are-authenticated',
    level: 'SHOULD',
    of: 'server',
    page: '/basic/transports',
    text: 'A server authenticates all connections.',
  },
  {
    id: 'transports/sse-two-endpoints',
    level: 'MUST',
    of: 'server',
    page: '/basic/transports',
    text: 'A server has an endpoint for events and one for POST.',
  },
  {
    id: 'transports/sse-endpoint-event',
    level: 'MUST',
    of: 'server',
    page: '/basic/transports',
    text: 'When a client connects, the server sends an `endpoint` event with the URI for messages.',
  },
  {
    id: 'transports/sse-client-posts-to-the-endpoint',
    level: 'MUST',
    of: 'client',
    page: '/basic/transports',
    text: 'A client sends all its messages as POST requests to that URI.',
  },
] satisfies readonly Requirement[];
