import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'authorization/oauth-2-1',
    level: 'MUST',
    of: 'author',
    page: '/basic/authorization',
    text: 'An authorization implementation implements OAuth 2.1 for confidential and public clients.',
    notTested:
      'In this revision the server is also the authorization server, which the SDK does not contain.',
  },
  {
    id: 'authorization/client-uses-as-metadata',
    level: 'MUST',
    of: 'client',
    page: '/basic/authorization',
    text: 'A client uses Authorization Server Metadata (RFC 8414).',
  },
  {
    id: 'authorization/server-has-as-metadata',
    level: 'SHOULD',
    of: 'author',
    page: '/basic/authorization',
    text: 'A server has Authorization Server Metadata, or the default paths.',
    notTested:
      'In this revision the server is also the authorization server, which the SDK does not contain.',
  },
  {
    id: 'authorization/grant-types',
    level: 'SHOULD',
    of: 'author',
    page: '/basic/authorization',
    text: 'A server supports the grant types that suit its audience.',
    notTested:
      'In this revision the server is also the authorization server, which the SDK does not contain.',
  },
  {
    id: 'authorization/unauthorized-gets-401',
    level: 'MUST',
    of: 'server',
    page: '/basic/authorization',
    text: 'A request without the authorization that it needs gets 401.',
  },
  {
    id: 'authorization/version-header-on-discovery',
    level: 'SHOULD',
    of: 'client',
    page: '/basic/authorization',
    text: 'A client sends `MCP-Protocol-Version` when it fetches metadata.',
  },
  {
    id: 'authorization/base-url-has-no-path',
    level: 'MUST',
    of: 'client',
    page: '/basic/authorization',
    text: 'The authorization base URL is the server’s URL without its path, and the metadata is at its well-known path.',
  },
  {
    id: 'authorization/default-paths',
    level: 'MUST',
    of: 'client',
    page: '/basic/authorization',
    text: 'Without metadata a client uses `/authorize`, `/token` and `/register`.',
  },
  {
    id: 'authorization/metadata-comes-before-default-paths',
    level: 'MUST',
    of: 'client',
    page: '/basic/authorization',
    text: 'A client looks for metadata before it falls back to the default paths.',
  },
  {
    id: 'authorization/registration',
    level: 'SHOULD',
    of: 'client',
    page: '/basic/authorization',
    text: 'A client supports dynamic client registration.',
  },
  {
    id: 'authorization/tokens-expire-and-rotate',
    level: 'SHOULD',
    of: 'author',
    page: '/basic/authorization',
    text: 'A server lets tokens expire and rotates them.',
    notTested:
      'In this revision the server is also the authorization server, which the SDK does not contain.',
  },
  {
    id: 'authorization/server-validates-redirect-uris',
    level: 'MUST',
    of: 'author',
    page: '/basic/authorization',
    text: 'A server validates redirect URIs.',
    notTested:
      'In this revision the server is also the authorization server, which the SDK does not contain.',
  },
  {
    id: 'authorization/third-party-binding',
    level: 'MUST',
    of: 'author',
    page: '/basic/authorization',
    text: 'A server with third-party authorization binds, validates and protects the tokens of the third party.',
    notTested: 'It binds servers that are authorization servers, which the SDK is not.',
  },
] satisfies readonly Requirement[];
