import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'overview/consent-and-authorization-flows',
    level: 'SHOULD',
    of: 'author',
    page: '/',
    text: 'Implementors build flows for consent and authorization.',
    notTested: 'The host has the user interface.',
  },
  {
    id: 'overview/security-is-documented',
    level: 'SHOULD',
    of: 'both',
    page: '/',
    text: 'Implementors document the security implications.',
    notTested: 'SECURITY.md and the pages on authorization do; a test cannot judge them.',
  },
  {
    id: 'overview/access-controls',
    level: 'SHOULD',
    of: 'author',
    page: '/',
    text: 'Implementors control access and protect data.',
    notTested: 'It names no behaviour; the pages on tools, resources and authorization do.',
  },
  {
    id: 'overview/security-best-practices',
    level: 'SHOULD',
    of: 'author',
    page: '/',
    text: 'Implementors follow security practices.',
    notTested: 'It names no behaviour; other pages do.',
  },
  {
    id: 'overview/privacy-is-considered',
    level: 'SHOULD',
    of: 'author',
    page: '/',
    text: 'Implementors consider privacy.',
    notTested: 'It names no behaviour; other pages do.',
  },
  {
    id: 'overview/deprecated-features-are-not-adopted',
    level: 'SHOULD NOT',
    of: 'both',
    page: '/',
    text: 'New implementations do not adopt deprecated features.',
    notTested:
      'Tenon has them because clients and servers still do, and uses each only where the author does.',
  },
  {
    id: 'overview/deprecated-features-are-left',
    level: 'SHOULD',
    of: 'both',
    page: '/',
    text: 'Existing implementations migrate before deprecated features are removed.',
    notTested: 'They have not been removed.',
  },
  {
    id: 'overview/broken-requests-are-sent-anew',
    level: 'MUST',
    of: 'client',
    page: '/',
    text: 'A client that repeats a request whose stream broke sends it as a new one with another id.',
  },
] satisfies readonly Requirement[];
