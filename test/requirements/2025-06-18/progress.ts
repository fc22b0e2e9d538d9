import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'progress/token-is-string-or-integer',
    level: 'MUST',
    of: 'both',
    page: '/basic/utilities/progress',
    text: 'A progress token is a string or an integer.',
  },
  {
    id: 'progress/token-is-unique',
    level: 'MUST',
    of: 'both',
    page: '/basic/utilities/progress',
    text: 'A progress token is unique among the active requests of its sender.',
  },
  {
    id: 'progress/value-increases',
    level: 'MUST',
    of: 'both',
    page: '/basic/utilities/progress',
    text: 'The progress value increases with each notification.',
  },
  {
    id: 'progress/message-is-readable',
    level: 'SHOULD',
    of: 'author',
    page: '/basic/utilities/progress',
    text: 'The `message` tells a reader how far the work is.',
    notTested: 'The author writes the text; the SDK passes it on.',
  },
  {
    id: 'progress/token-was-given-by-an-active-request',
    level: 'MUST',
    of: 'both',
    page: '/basic/utilities/progress',
    text: 'A progress notification has the token of an active request whose work is in progress.',
  },
  {
    id: 'progress/active-tokens-are-tracked',
    level: 'SHOULD',
    of: 'both',
    page: '/basic/utilities/progress',
    text: 'Both sides keep track of active progress tokens.',
  },
  {
    id: 'progress/rate-is-limited',
    level: 'SHOULD',
    of: 'both',
    page: '/basic/utilities/progress',
    text: 'Both sides limit the rate of progress notifications.',
  },
  {
    id: 'progress/stops-after-completion',
    level: 'MUST',
    of: 'both',
    page: '/basic/utilities/progress',
    text: 'There is no progress after completion.',
  },
] satisfies readonly Requirement[];
