import type { Attack, Outcome } from './attack.js';
import type { Mutation } from './mutants.js';
import type { Answer } from './party.js';
import type { World } from './world.js';
import { RESOURCE_DOCUMENT } from './world.js';

const FILE = 'client/auth/discovery.ts';

const ANY_RESOURCE: Mutation = { file: FILE, from: ' || !isResourceOf(resource, serverUrl, place)', to: '' };
const ANY_TYPE: Mutation = {
  file: FILE,
  from: "typeof resource !== 'string' || !isResourceOf(resource, serverUrl, place)",
  to: 'false',
};

const OTHER_RESOURCES: [what: string, resource: (world: World) => string][] = [
  ['of another server', ({ other }) => `${other.url}/mcp`],
  ['of another scheme', ({ mcp }) => `https://127.0.0.1:${mcp.port}/mcp`],
  ['of another port', () => 'http://127.0.0.1:1/mcp'],
  ['of another name of the machine', ({ mcp }) => `http://localhost:${mcp.port}/mcp`],
  ['that contains the right one', ({ mcp }) => mcp.url],
  ['that contains the right one, with a slash', ({ mcp }) => `${mcp.url}/`],
  ['that leads to the right one', ({ mcp }) => `${mcp.url}/x/../mcp`],
  ['whose path is the beginning of the right one', ({ mcp }) => `${mcp.url}/mc`],
  ['whose path goes on after the right one', ({ mcp }) => `${mcp.url}/mcp-evil`],
  ['below the right one', ({ mcp }) => `${mcp.url}/mcp/evil`],
  ['that climbs out of the right path', ({ mcp }) => `${mcp.url}/mcp/../evil`],
  ['that climbs out of the right path, encoded', ({ mcp }) => `${mcp.url}/mcp/%2e%2e/evil`],
  ['with another case', ({ mcp }) => `${mcp.url}/MCP`],
  ['with an encoded path', ({ mcp }) => `${mcp.url}/%6dcp`],
  ['with two slashes', ({ mcp }) => `${mcp.url}//mcp`],
  ['with a user name', ({ mcp }) => `http://bistro@127.0.0.1:${mcp.port}/mcp`],
  ['with a password', ({ mcp }) => `http://:bistro@127.0.0.1:${mcp.port}/mcp`],
  [
    'with the other server as user name',
    ({ mcp, other }) => `http://${other.url.slice(7)}@127.0.0.1:${mcp.port}/mcp`,
  ],
  ['with a fragment', ({ mcp }) => `${mcp.url}/mcp#evil`],
  ['with an empty fragment', ({ mcp }) => `${mcp.url}/mcp#`],
  ['with a query', ({ mcp }) => `${mcp.url}/mcp?tenant=evil`],
  [
    'that some take for another host, after a backslash',
    ({ mcp }) => `${mcp.url}\\@bistro.example/../../mcp`,
  ],
  ['with a tab inside', ({ mcp }) => `${mcp.url}/m\tcp`],
  ['with a line end', ({ mcp }) => `${mcp.url}/mcp\r\n`],
  ['with a blank before', ({ mcp }) => ` ${mcp.url}/mcp`],
  ['without slashes after the scheme', ({ mcp }) => `http:127.0.0.1:${mcp.port}/mcp`],
  ['with one slash after the scheme', ({ mcp }) => `http:/127.0.0.1:${mcp.port}/mcp`],
  ['with another notation of the address', ({ mcp }) => `http://2130706433:${mcp.port}/mcp`],
  ['with wide digits', ({ mcp }) => `http://１27.0.0.1:${mcp.port}/mcp`],
  ['that is no URL', () => 'bistro'],
  ['that is empty', () => ''],
];

const WRONG_TYPES: [what: string, resource: (world: World) => unknown][] = [
  ['a number', () => 1],
  ['null', () => null],
  ['a list with the right one', ({ serverUrl }) => [serverUrl]],
  ['an object', ({ serverUrl }) => ({ href: serverUrl })],
  ['missing', () => undefined],
];

const WRONG_ISSUERS: [what: string, issuers: (world: World) => unknown][] = [
  ['no list of authorization servers', () => undefined],
  ['an empty list of authorization servers', () => []],
  ['an authorization server in place of a list', ({ as }) => as.url],
  ['a list of other things than authorization servers', ({ as }) => [{ issuer: as.url }, as.url]],
];
/** As if there were no metadata, and the server were its own authorization server. */
const ANY_ISSUERS: Mutation = {
  file: FILE,
  from: 'if (!isStrings(issuers) || issuers.length === 0)',
  to: 'if (!isStrings(issuers) || issuers.length === 0) return undefined as never;\n  if (false)',
};

/** What is at the place that the server names, in place of metadata. */
const NO_DOCUMENTS: [what: string, answer: Answer][] = [
  ['nothing', { status: 404 }],
  ['a refusal', { status: 401 }],
  ['a page', { headers: { 'content-type': 'text/html' }, body: '<!doctype html>' }],
  ['a list', { body: [] }],
  ['null', { body: 'null' }],
  ['broken JSON', { body: '{"resource":' }],
];
const NAMED_OR_NOT: Mutation = {
  file: FILE,
  from: "throw new AccessError('resource', `there is no metadata at",
  to: 'return void (`there is no metadata at',
};

const BAD_PLACES: [what: string, place: (world: World) => string, outcome: Outcome][] = [
  ['a relative path', () => RESOURCE_DOCUMENT, 'resource'],
  ['nothing', () => '', 'resource'],
  ['a scheme without an address', () => 'http://', 'resource'],
  ['a javascript: URL', () => 'javascript:fetch()', 'address'],
  ['a data: URL', ({ serverUrl }) => `data:application/json,{"resource":"${serverUrl}"}`, 'address'],
  ['a file: URL', () => 'file:///etc/passwd', 'address'],
  [
    'an address of all machines',
    ({ other }) => `http://0.0.0.0:${other.port}${RESOURCE_DOCUMENT}`,
    'address',
  ],
  ['a URL with a password', ({ mcp }) => `http://a:b@127.0.0.1:${mcp.port}${RESOURCE_DOCUMENT}`, 'address'],
];
/** As if nothing had been named. */
const ANY_PLACE: Mutation[] = [
  {
    file: FILE,
    from: 'if (!parseUrl(named))\n      throw',
    to: 'if (!/^http:..[^0a]/.test(named)) return discoverResource(serverUrl, undefined, fetch);\n    if (false) throw',
  },
];

export const RESOURCE_ATTACKS: Attack[] = [
  ...OTHER_RESOURCES.map(
    ([what, resource]): Attack => ({
      name: `metadata for a resource ${what}`,
      lies: world => {
        world.resource.resource = resource(world);
        world.isCareless = true;
      },
      outcome: 'resource',
      mutations: [ANY_RESOURCE],
    }),
  ),
  ...WRONG_TYPES.map(
    ([what, resource]): Attack => ({
      name: `metadata whose resource is ${what}`,
      lies: world => {
        world.resource.resource = resource(world);
        world.isCareless = true;
      },
      outcome: 'resource',
      mutations: [ANY_TYPE],
    }),
  ),
  {
    name: 'metadata of another resource, at the other server',
    lies: world => {
      world.challenge = `Bearer resource_metadata="${world.other.url}${RESOURCE_DOCUMENT}"`;
      world.isCareless = true;
    },
    outcome: 'resource',
    mutations: [ANY_RESOURCE],
  },
  {
    name: 'metadata for another resource, at a well-known place',
    lies: world => {
      world.challenge = undefined;
      world.resource.resource = `${world.other.url}/mcp`;
      world.isCareless = true;
    },
    outcome: 'resource',
    mutations: [ANY_RESOURCE],
  },
  ...WRONG_ISSUERS.map(
    ([what, issuers]): Attack => ({
      name: `metadata with ${what}`,
      lies: world => {
        world.resource.authorization_servers = issuers(world);
      },
      outcome: 'resource',
      mutations: [ANY_ISSUERS],
    }),
  ),
  ...NO_DOCUMENTS.map(
    ([what, answer]): Attack => ({
      name: `${what} where the server says that its metadata is, so that it is taken for an old server`,
      lies: ({ mcp }) => {
        mcp.routes.set(`GET ${RESOURCE_DOCUMENT}`, () => answer);
      },
      outcome: 'resource',
      mutations: [NAMED_OR_NOT],
    }),
  ),
  ...BAD_PLACES.map(
    ([what, place, outcome]): Attack => ({
      name: `${what} as the place of the metadata`,
      lies: world => {
        world.challenge = `Bearer resource_metadata="${place(world).replaceAll('"', '\\"')}"`;
      },
      outcome,
      check: ({ other }) => other.received.length === 0,
      mutations: ANY_PLACE,
    }),
  ),
];
