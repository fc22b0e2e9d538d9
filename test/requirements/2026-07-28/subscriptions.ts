import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'subscriptions/only-what-was-requested',
    level: 'MUST NOT',
    of: 'server',
    page: '/basic/patterns/subscriptions',
    text: 'A server sends no kind of notification that the client did not ask for.',
  },
  {
    id: 'subscriptions/acknowledged-first',
    level: 'MUST',
    of: 'server',
    page: '/basic/patterns/subscriptions',
    text: 'The first message with the id of a subscription is the acknowledgement.',
  },
  {
    id: 'subscriptions/nothing-before-the-acknowledgement',
    level: 'MUST NOT',
    of: 'server',
    page: '/basic/patterns/subscriptions',
    text: 'No notification of a subscription comes before its acknowledgement.',
  },
  {
    id: 'subscriptions/client-checks-the-acknowledgement',
    level: 'SHOULD',
    of: 'client',
    page: '/basic/patterns/subscriptions',
    text: 'A client compares what was acknowledged with what it asked for, and copes with the rest.',
  },
  {
    id: 'subscriptions/notifications-are-correlated',
    level: 'MUST',
    of: 'client',
    page: '/basic/patterns/subscriptions',
    text: 'Over stdio, a client tells subscriptions apart by the `subscriptionId`.',
  },
  {
    id: 'subscriptions/graceful-end',
    level: 'SHOULD',
    of: 'server',
    page: '/basic/patterns/subscriptions',
    text: 'A server that ends a subscription answers its request with a result before it closes the stream.',
  },
  {
    id: 'subscriptions/listen-again-after-a-restart',
    level: 'MUST',
    of: 'client',
    page: '/basic/patterns/subscriptions',
    text: 'Over stdio, a client sends `subscriptions/listen` again when the connection is back.',
  },
] satisfies readonly Requirement[];
