import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'versioning/unsupported-version-is-an-error',
    level: 'MUST',
    of: 'server',
    page: '/basic/versioning',
    text: 'A request of a version that the server does not serve is answered with -32022 and the versions that it serves.',
  },
  {
    id: 'versioning/client-retries-with-a-common-version',
    level: 'SHOULD',
    of: 'client',
    page: '/basic/versioning',
    text: 'A client whose version is not supported goes on with one that both sides have, or says that there is none.',
  },
  {
    id: 'versioning/discover-is-implemented',
    level: 'MUST',
    of: 'server',
    page: '/basic/versioning',
    text: 'A server implements `server/discover`.',
  },
  {
    id: 'versioning/extension-ids-are-meta-keys',
    level: 'MUST',
    of: 'both',
    page: '/basic/versioning',
    text: 'The identifier of an extension follows the rules of `_meta` keys and has a prefix.',
  },
  {
    id: 'versioning/extension-of-one-side',
    level: 'MUST',
    of: 'both',
    page: '/basic/versioning',
    text: 'A side that supports an extension which the other does not falls back to the core protocol, or rejects the request.',
  },
  {
    id: 'versioning/extensions-document-their-fallback',
    level: 'SHOULD',
    of: 'author',
    page: '/basic/versioning',
    text: 'The specification of an extension says what happens where the other side lacks it.',
    notTested: 'The author of an extension writes its specification.',
  },
  {
    id: 'versioning/era-is-cached',
    level: 'SHOULD',
    of: 'client',
    page: '/basic/versioning',
    text: 'A client remembers the era of a server for as long as its process or origin lives.',
  },
  {
    id: 'versioning/modern-server-names-its-versions',
    level: 'SHOULD',
    of: 'server',
    page: '/basic/versioning',
    text: 'A server of modern versions only names them in its error to `initialize`.',
    notTested: 'A server of Tenon also serves the handshake revisions.',
  },
  {
    id: 'versioning/modern-client-probes-stdio',
    level: 'SHOULD',
    of: 'client',
    page: '/basic/versioning',
    text: 'A client of modern versions only sends `server/discover` first over stdio, so that an old server fails at once.',
  },
] satisfies readonly Requirement[];
