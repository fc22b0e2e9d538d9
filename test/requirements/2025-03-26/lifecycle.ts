import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'lifecycle/initialize-is-not-in-a-batch',
    level: 'MUST NOT',
    of: 'both',
    page: '/basic/lifecycle',
    text: '`initialize` is not part of a batch.',
  },
  {
    id: 'lifecycle/server-respects-the-version',
    level: 'SHOULD',
    of: 'server',
    page: '/basic/lifecycle',
    text: 'The server keeps to the negotiated version.',
  },
  {
    id: 'lifecycle/client-respects-the-version',
    level: 'SHOULD',
    of: 'client',
    page: '/basic/lifecycle',
    text: 'The client keeps to the negotiated version.',
  },
  {
    id: 'lifecycle/server-uses-only-negotiated-capabilities',
    level: 'SHOULD',
    of: 'server',
    page: '/basic/lifecycle',
    text: 'The server uses only what was negotiated.',
  },
  {
    id: 'lifecycle/client-uses-only-negotiated-capabilities',
    level: 'SHOULD',
    of: 'client',
    page: '/basic/lifecycle',
    text: 'The client uses only what was negotiated.',
  },
] satisfies readonly Requirement[];
