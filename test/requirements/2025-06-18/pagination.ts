import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'pagination/no-fixed-page-size',
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
    text: 'A server has stable cursors.',
  },
  {
    id: 'pagination/invalid-cursors-are-handled',
    level: 'SHOULD',
    of: 'server',
    page: '/server/utilities/pagination',
    text: 'A server handles invalid cursors gracefully.',
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
    text: 'A client supports lists with and without pages.',
  },
  {
    id: 'pagination/cursors-are-opaque',
    level: 'MUST',
    of: 'client',
    page: '/server/utilities/pagination',
    text: 'A client neither parses, changes nor guesses cursors.',
  },
  {
    id: 'pagination/cursors-are-not-kept',
    level: 'MUST',
    of: 'client',
    page: '/server/utilities/pagination',
    text: 'A client does not keep cursors beyond the session.',
  },
  {
    id: 'pagination/invalid-cursor-is-invalid-params',
    level: 'SHOULD',
    of: 'server',
    page: '/server/utilities/pagination',
    text: 'An invalid cursor is refused with -32602.',
  },
] satisfies readonly Requirement[];
