import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'patterns/server-sends-no-requests',
    level: 'MUST NOT',
    of: 'server',
    page: '/basic/patterns',
    text: 'A server sends no JSON-RPC requests.',
  },
] satisfies readonly Requirement[];
