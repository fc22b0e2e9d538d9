import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'pagination/page-size-is-not-assumed',
    level: 'MUST NOT',
    of: 'client',
    page: '/server/utilities/pagination',
    text: 'A client assumes no fixed size of pages.',
  },
  {
    id: 'pagination/cursors-are-stable',
    level: 'SHOULD',
    of: 'server',
    page: '/server/utilities/pagination',
    text: 'A server provides stable cursors.',
  },
  {
    id: 'pagination/invalid-cursors-are-handled',
    level: 'SHOULD',
    of: 'server',
    page: '/server/utilities/pagination',
    text: 'A server copes with invalid cursors.',
  },
  {
    id: 'pagination/no-cursor-is-the-end',
    level: 'SHOULD',
    of: 'client',
    page: '/server/utilities/pagination',
    text: 'A client takes a missing `nextCursor` for the end.',
  },
  {
    id: 'pagination/with-and-without-pages',
    level: 'SHOULD',
    of: 'client',
    page: '/server/utilities/pagination',
    text: 'A client supports lists in pages and in one piece.',
  },
  {
    id: 'pagination/cursors-are-opaque',
    level: 'MUST',
    of: 'client',
    page: '/server/utilities/pagination',
    text: 'A client treats cursors as opaque.',
  },
  {
    id: 'pagination/empty-cursor-is-a-cursor',
    level: 'MUST NOT',
    of: 'client',
    page: '/server/utilities/pagination',
    text: 'A client does not take an empty cursor for the end.',
  },
  {
    id: 'pagination/invalid-cursor-is-32602',
    level: 'SHOULD',
    of: 'server',
    page: '/server/utilities/pagination',
    text: 'An invalid cursor is answered with -32602.',
  },
] satisfies readonly Requirement[];
