import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'overview/consent-flows',
    level: 'SHOULD',
    of: 'author',
    page: '/',
    text: 'An application has robust flows for consent and authorization.',
    notTested: 'It binds the application around the SDK: consent is given in its user interface.',
  },
  {
    id: 'overview/security-is-documented',
    level: 'SHOULD',
    of: 'author',
    page: '/',
    text: 'An application documents what it means for security.',
    notTested: 'It binds the documentation of applications.',
  },
  {
    id: 'overview/access-controls',
    level: 'SHOULD',
    of: 'author',
    page: '/',
    text: 'An application controls access to data and protects it.',
    notTested: 'It binds the application; what the SDK offers for it is listed under authorization.',
  },
  {
    id: 'overview/best-practices',
    level: 'SHOULD',
    of: 'author',
    page: '/',
    text: 'An integration follows good practice in security.',
    notTested: 'It names no behaviour that a test could observe.',
  },
  {
    id: 'overview/privacy',
    level: 'SHOULD',
    of: 'author',
    page: '/',
    text: 'The design of a feature takes privacy into account.',
    notTested: 'It names no behaviour that a test could observe.',
  },
] satisfies readonly Requirement[];
