import type { Attack } from './attack.js';
import type { Mutation } from './mutants.js';
import { SERVER_DOCUMENT, type World } from './world.js';

const FILE = 'client/auth/discovery.ts';
const ANY_ISSUER: Mutation = { file: FILE, from: 'if (server.issuer !== issuer) {', to: 'if (false) {' };
const ANY_TYPE: Mutation = {
  file: FILE,
  from: `    document => typeof document.issuer === 'string',
  );
  return found && readServer(found.document, found.document.issuer as string);`,
  to: `    () => true,
  );
  return found && readServer(found.document, url.href.replace(/.$/, ''));`,
};
const OLD_ANY_ISSUER: Mutation = {
  file: FILE,
  from: 'if (found.issuer !== origin && found.issuer !== `${origin}/`)',
  to: 'if (false)',
};

const OTHER_ISSUERS: [what: string, issuer: (world: World) => string][] = [
  ['another authorization server', ({ other }) => other.url],
  ['another scheme', ({ as }) => `https://127.0.0.1:${as.port}`],
  ['another port', () => 'http://127.0.0.1:1'],
  ['no port', () => 'http://127.0.0.1'],
  ['another name of the machine', ({ as }) => `http://localhost:${as.port}`],
  ['a slash at its end', ({ as }) => `${as.url}/`],
  ['a path', ({ as }) => `${as.url}/tenant`],
  ['a scheme in capitals', ({ as }) => as.url.replace('http', 'HTTP')],
  ['an encoded host', ({ as }) => as.url.replace('127', '%3127')],
  ['wide digits', ({ as }) => as.url.replace('127', '１27')],
  ['other dots', ({ as }) => as.url.replaceAll('.', '。')],
  ['another notation of the address', ({ as }) => as.url.replace('127.0.0.1', '127.1')],
  ['a user name', ({ as }) => as.url.replace('//', '//bistro@')],
  ['a query', ({ as }) => `${as.url}?`],
  ['a fragment', ({ as }) => `${as.url}#`],
  ['a blank at its end', ({ as }) => `${as.url} `],
  ['a line end', ({ as }) => `${as.url}\n`],
  ['a zero byte', ({ as }) => `${as.url}\0`],
  ['nothing in it', () => ''],
];

const WRONG_TYPES: [what: string, issuer: (world: World) => unknown][] = [
  ['missing', () => undefined],
  ['null', () => null],
  ['a list with the right one', ({ as }) => [as.url]],
  ['an object', ({ as }) => ({ url: as.url })],
  ['a number', () => 1],
];

/** Where the metadata of `…/tenant` is not. */
const WRONG_PLACES: [what: string, place: string, added: string][] = [
  [
    'below the path of the issuer',
    `/tenant${SERVER_DOCUMENT}`,
    '`${url.href}/.well-known/oauth-authorization-server`',
  ],
  ['at the root of its host', SERVER_DOCUMENT, '`${url.origin}/.well-known/oauth-authorization-server`'],
  [
    'at another tenant',
    `${SERVER_DOCUMENT}/tenant2`,
    '`${url.origin}/.well-known/oauth-authorization-server/tenant2`',
  ],
  ['at the issuer itself', '/tenant', 'url.href'],
];

export const ISSUER_ATTACKS: Attack[] = [
  ...OTHER_ISSUERS.map(
    ([what, issuer]): Attack => ({
      name: `metadata of an issuer with ${what}`,
      lies: world => {
        world.metadata.issuer = issuer(world);
      },
      outcome: 'issuer',
      check: ({ visits }) => visits.length === 0,
      mutations: [ANY_ISSUER],
      // The library wants at least something.
      undefended: what === 'nothing in it' ? 'registration' : 'works',
    }),
  ),
  ...OTHER_ISSUERS.slice(0, 4).map(
    ([what, issuer]): Attack => ({
      name: `an old server, with metadata of an issuer with ${what}`,
      lies: world => {
        const { mcp, as } = world;
        world.challenge = undefined;
        mcp.routes.clear();
        mcp.routes.set('POST /mcp', () => ({ status: world.visits.length > 0 ? 500 : 401 }));
        mcp.routes.set(`GET ${SERVER_DOCUMENT}`, () => ({
          body: { ...world.metadata, issuer: issuer(world) },
        }));
        world.trusted = [as];
      },
      outcome: 'issuer',
      check: ({ visits }) => visits.length === 0,
      mutations: [OLD_ANY_ISSUER],
      undefended: ({ visits }) => visits.length > 0,
    }),
  ),
  ...WRONG_TYPES.map(
    ([what, issuer]): Attack => ({
      name: `metadata whose issuer is ${what}`,
      lies: world => {
        world.metadata.issuer = issuer(world);
      },
      outcome: 'issuer',
      check: ({ visits }) => visits.length === 0,
      mutations: [ANY_TYPE],
    }),
  ),
  ...WRONG_PLACES.map(
    ([what, place, added]): Attack => ({
      name: `metadata ${what}`,
      lies: ({ as, resource, metadata }) => {
        resource.authorization_servers = [`${as.url}/tenant`];
        metadata.issuer = `${as.url}/tenant`;
        as.routes.delete(`GET ${SERVER_DOCUMENT}`);
        as.routes.set(`GET ${place}`, () => ({ body: metadata }));
      },
      outcome: 'issuer',
      check: ({ visits }) => visits.length === 0,
      mutations: [
        {
          file: FILE,
          from: "wellKnown(url, 'oauth-authorization-server'),",
          to: `wellKnown(url, 'oauth-authorization-server'), ${added},`,
        },
      ],
    }),
  ),
  ...['?', '?tenant=1', '/tenant?x', '#', '#tenant', '/tenant#x'].map(
    (end): Attack => ({
      name: `an authorization server whose issuer ends with "${end}"`,
      lies: ({ resource, metadata, as }) => {
        resource.authorization_servers = [`${as.url}${end}`];
        metadata.issuer = `${as.url}${end}`;
        as.routes.set(`GET ${SERVER_DOCUMENT}/tenant`, () => ({ body: metadata }));
      },
      outcome: 'issuer',
      check: ({ as }) => as.received.length === 0,
      mutations: [{ file: FILE, from: 'if (/[?#]/.test(issuer)) {', to: 'if (false) {' }],
    }),
  ),
  ...['', 'bistro', '/tenant', 'javascript:0', 'http://0.0.0.0:1'].map(
    (issuer): Attack => ({
      name: `"${issuer}" as authorization server`,
      lies: ({ resource, as }) => {
        resource.authorization_servers = [issuer, as.url];
      },
      outcome: issuer.includes(':') ? 'address' : 'issuer',
      check: ({ visits }) => visits.length === 0,
      mutations: [
        {
          file: 'client/auth/authorization.ts',
          from: 'issuers.slice(0, MAX_ISSUERS);',
          to: '[issuers.at(-1) as string];',
        },
      ],
    }),
  ),
];
