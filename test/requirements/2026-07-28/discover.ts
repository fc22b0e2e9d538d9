import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'discover/implemented',
    level: 'MUST',
    of: 'server',
    page: '/server/discover',
    text: 'A server implements `server/discover`.',
  },
  {
    id: 'discover/stdio-probe',
    level: 'SHOULD',
    of: 'client',
    page: '/server/discover',
    text: 'A client of both eras sends `server/discover` first over stdio.',
  },
  {
    id: 'discover/server-info',
    level: 'SHOULD',
    of: 'server',
    page: '/server/discover',
    text: 'The result names the server in `_meta`.',
  },
  {
    id: 'discover/server-info-does-not-change-behaviour',
    level: 'SHOULD NOT',
    of: 'client',
    page: '/server/discover',
    text: 'A client does not change its behaviour by the name of a server.',
    notTested: 'There is no other side to compare with: no code reads the name except to show it.',
  },
  {
    id: 'discover/server-info-is-no-proof',
    level: 'SHOULD NOT',
    of: 'client',
    page: '/server/discover',
    text: 'A client does not use the name of a server for decisions about security.',
    notTested: 'No code reads the name except to show it.',
  },
] satisfies readonly Requirement[];
