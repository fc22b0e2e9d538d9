import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'basic/batches-are-received',
    level: 'MUST',
    of: 'both',
    page: '/basic',
    text: 'A JSON-RPC batch that is received is processed.',
  },
] satisfies readonly Requirement[];
