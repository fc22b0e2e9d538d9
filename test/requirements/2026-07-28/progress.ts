import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'progress/token-is-text-or-integer',
    level: 'MUST',
    of: 'client',
    page: '/basic/patterns/progress',
    text: 'A progress token is a string or an integer.',
  },
  {
    id: 'progress/token-is-unique',
    level: 'MUST',
    of: 'client',
    page: '/basic/patterns/progress',
    text: 'A progress token is unique among the open requests of a client.',
  },
  {
    id: 'progress/progress-increases',
    level: 'MUST',
    of: 'server',
    page: '/basic/patterns/progress',
    text: 'The progress of a request increases with each notification.',
  },
  {
    id: 'progress/message-is-readable',
    level: 'SHOULD',
    of: 'author',
    page: '/basic/patterns/progress',
    text: 'The message of a progress notification can be read by people.',
    notTested: 'The author of a server writes the message.',
  },
  {
    id: 'progress/only-tokens-of-open-requests',
    level: 'MUST',
    of: 'server',
    page: '/basic/patterns/progress',
    text: 'Progress is sent only under the token of a request that is still open.',
  },
  {
    id: 'progress/tokens-are-tracked',
    level: 'SHOULD',
    of: 'both',
    page: '/basic/patterns/progress',
    text: 'Both sides keep track of the tokens of open requests.',
  },
  {
    id: 'progress/progress-is-limited',
    level: 'SHOULD',
    of: 'both',
    page: '/basic/patterns/progress',
    text: 'Both sides limit how much progress floods them.',
  },
  {
    id: 'progress/progress-stops',
    level: 'MUST',
    of: 'server',
    page: '/basic/patterns/progress',
    text: 'Progress stops when the request has been answered.',
  },
] satisfies readonly Requirement[];
