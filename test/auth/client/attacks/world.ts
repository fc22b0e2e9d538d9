import { createHash, randomUUID } from 'node:crypto';
import { memoryStore } from '../../../../src/client/auth/memory-store.js';
import type { SignInOptions } from '../../../../src/client/auth/methods.js';
import type { Redirect } from '../../../../src/client/auth/redirect.js';
import { type Answer, Party, type Received, type Reply } from './party.js';

/** Something that only some may get. */
interface Secret {
  readonly what: string;
  readonly value: string;
  readonly isFor: readonly Party[];
}

interface Code {
  readonly issuer: Party | undefined;
  readonly challenge: string | null;
}

export const CALLBACK = 'http://127.0.0.1:9/callback';
export const RESOURCE_DOCUMENT = '/.well-known/oauth-protected-resource/mcp';
export const SERVER_DOCUMENT = '/.well-known/oauth-authorization-server';

/** What only who gives tokens may be sent. */
const FOR_TOKENS = [
  'code',
  'code_verifier',
  'client_secret',
  'client_assertion',
  'assertion',
  'subject_token',
  'refresh_token',
];

/**
 * An MCP server, its authorization server, and somebody else, who is both as well. They are honest as long as no
 * attack changes what they say.
 */
export class World {
  readonly mcp = new Party('the server');
  readonly as = new Party('the authorization server');
  readonly other = new Party('the other');
  readonly visits: URL[] = [];
  readonly warnings: string[] = [];
  readonly store = memoryStore();
  /** The metadata of the resource, of each party. */
  readonly resources = new Map<Party, Record<string, unknown>>();
  /** The metadata of the authorization server, of each party. */
  readonly servers = new Map<Party, Record<string, unknown>>();
  /** Whom secrets are meant for. */
  trusted: Party[] = [this.as];
  /** What the server says to those whom it does not let in. */
  challenge: string | string[] | undefined;
  /** Whether the server lets everybody in who has a token. */
  isCareless = false;
  /** Changes the address at which the user comes back. */
  back: (callback: URL, page: URL) => URL | void = () => {};
  /** Changes what the token endpoints give. */
  give: (tokens: Record<string, unknown>, received: Received, party: Party) => Reply | void = () => {};
  /** Changes what the server answers to requests for itself. */
  serve: (received: Received, isLetIn: boolean) => Reply | void = () => {};
  readonly #secrets: Secret[] = [];
  readonly #codes = new Map<string, Code>();
  readonly #accessTokens = new Map<string, string>();
  readonly #refreshTokens = new Set<string>();

  /** How the user gets to the page and back. */
  readonly redirect: Redirect = {
    prepare: () => ({ uri: CALLBACK, visit: async url => this.visit(url), close() {} }),
  };

  get parties(): Party[] {
    return [this.mcp, this.as, this.other];
  }

  get serverUrl(): string {
    return `${this.mcp.url}/mcp`;
  }

  get resource(): Record<string, unknown> {
    return this.resources.get(this.mcp) as Record<string, unknown>;
  }

  get metadata(): Record<string, unknown> {
    return this.servers.get(this.as) as Record<string, unknown>;
  }

  get signInOptions(): SignInOptions {
    return { redirect: this.redirect, store: this.store, onWarning: warning => this.warnings.push(warning) };
  }

  async start(): Promise<this> {
    await Promise.all(this.parties.map(party => party.start()));
    for (const party of this.parties) this.#employ(party);
    this.challenge = `Bearer resource_metadata="${this.mcp.url}${RESOURCE_DOCUMENT}"`;
    return this;
  }

  async stop(): Promise<void> {
    await Promise.all(this.parties.map(party => party.stop()));
  }

  /** Makes something secret: only `isFor` may get it. */
  secret(
    what: string,
    isFor: readonly Party[] = this.trusted,
    value = `${what.replaceAll(' ', '-')}-${randomUUID()}`,
  ): string {
    this.#secrets.push({ what, value, isFor });
    return value;
  }

  /** Lets the user sign in at a page. Returns where they come back. */
  visit(page: URL): URL {
    this.visits.push(page);
    const issuer = this.parties.find(({ url }) => url === page.origin);
    const code = this.secret('code', issuer ? [issuer] : []);
    const parameters = page.searchParams;
    this.#codes.set(code, { issuer, challenge: parameters.get('code_challenge') });
    const callback = new URL(CALLBACK);
    callback.searchParams.set('code', code);
    callback.searchParams.set('state', parameters.get('state') ?? '');
    const metadata = issuer && this.servers.get(issuer);
    if (metadata?.authorization_response_iss_parameter_supported)
      callback.searchParams.set('iss', issuer?.url as string);
    return this.back(callback, page) ?? callback;
  }

  /** What somebody got who should not have. */
  leaks(): string[] {
    const found = new Set<string>();
    for (const party of this.parties) {
      for (const received of party.received) {
        for (const what of this.#leaksIn(received, party)) found.add(`${what}, at ${party.name}`);
      }
    }
    for (const { href } of this.visits) {
      for (const { what, value } of this.#secrets) {
        if (decoded(href).includes(value)) found.add(`${what}, in the address of the page`);
      }
    }
    return [...found];
  }

  #leaksIn(received: Received, party: Party): string[] {
    const { path, headers, body, form } = received;
    const text = [
      decoded(body),
      ...Object.values(headers)
        .flatMap(value => [value ?? []].flat())
        .map(plain),
    ];
    const wrong = this.#secrets.filter(
      ({ value, isFor }) => !isFor.includes(party) && text.some(part => part.includes(value)),
    );
    const inUrl = this.#secrets.filter(({ value }) => decoded(path).includes(value));
    const named = this.trusted.includes(party) ? [] : FOR_TOKENS.filter(name => form.has(name));
    const hasPrivateKey = proofOf(received)?.header.jwk?.d !== undefined;
    return [
      ...wrong.map(({ what }) => what),
      ...inUrl.map(({ what }) => `${what}, in the URL`),
      ...named,
      ...(hasPrivateKey ? ['private key'] : []),
    ];
  }

  /** Gives a party something to do. */
  #employ(party: Party): void {
    const resource = { resource: `${party.url}/mcp`, authorization_servers: [this.as.url] };
    const server = {
      issuer: party.url,
      authorization_endpoint: `${party.url}/authorize`,
      token_endpoint: `${party.url}/token`,
      registration_endpoint: `${party.url}/register`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    };
    this.resources.set(party, resource);
    this.servers.set(party, server);
    const { routes } = party;
    routes.set(`GET ${RESOURCE_DOCUMENT}`, () => ({ body: this.resources.get(party) }));
    // The server is no authorization server, unless an attack makes it one.
    if (party !== this.mcp) routes.set(`GET ${SERVER_DOCUMENT}`, () => ({ body: this.servers.get(party) }));
    routes.set('POST /register', () => ({ status: 201, body: { client_id: `client-of-${party.port}` } }));
    routes.set('POST /token', received => this.#giveTokens(received, party));
    routes.set('POST /mcp', received => this.#answer(received, party));
    routes.set('GET /mcp', received => this.#refuse(received, party) ?? { status: 405 });
  }

  #giveTokens(received: Received, party: Party): Reply {
    const { form } = received;
    const problem = this.#problemOf(form, party);
    if (problem) return { status: 400, body: { error: 'invalid_grant', error_description: problem } };
    const resource = form.get('resource') ?? '';
    const isFor = [party, ...this.parties.filter(({ url }) => resource.startsWith(url))];
    const accessToken = this.secret('access token', isFor);
    const refreshToken = this.secret('refresh token', [party]);
    this.#accessTokens.set(accessToken, resource);
    this.#refreshTokens.add(refreshToken);
    const isExchange = form.get('grant_type')?.endsWith(':token-exchange');
    const isBound = received.headers.dpop !== undefined;
    const tokens: Record<string, unknown> = isExchange
      ? {
          access_token: this.secret('assertion', this.trusted),
          issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
          token_type: 'N_A',
        }
      : {
          access_token: accessToken,
          refresh_token: refreshToken,
          token_type: isBound ? 'DPoP' : 'Bearer',
          expires_in: 3600,
        };
    const reply = this.give(tokens, received, party);
    // What an attack gives in its place is a token as well.
    if (typeof tokens.access_token === 'string') this.#accessTokens.set(tokens.access_token, resource);
    return reply ?? { body: tokens };
  }

  #problemOf(form: URLSearchParams, party: Party): string | undefined {
    if (form.get('grant_type') === 'refresh_token') {
      const isKnown = this.#refreshTokens.delete(form.get('refresh_token') ?? '');
      return isKnown ? undefined : 'nobody has this refresh token';
    }
    if (form.get('grant_type') !== 'authorization_code') return undefined;
    const code = this.#codes.get(form.get('code') ?? '');
    if (!code || (code.issuer && code.issuer !== party)) return 'this is no code';
    return code.challenge === hashOf(form.get('code_verifier') ?? '')
      ? undefined
      : 'the code belongs to somebody else';
  }

  #answer(received: Received, party: Party): Reply {
    const { jsonrpc, id, method } = JSON.parse(received.body);
    const refusal = this.#refuse(received, party);
    if (refusal) return refusal;
    if (id === undefined) return { status: 202 };
    const result = RESULTS[method];
    if (!result) return { body: { jsonrpc, id, error: { code: -32601, message: 'not found' } } };
    return { body: { jsonrpc, id, result } };
  }

  #refuse(received: Received, party: Party): Reply {
    const [, token = ''] = (received.headers.authorization ?? '').split(' ');
    const isLetIn = this.#accessTokens.get(token)?.startsWith(party.url) || (this.isCareless && token !== '');
    const own = party === this.mcp && this.serve(received, isLetIn);
    if (own) return own;
    if (isLetIn) return undefined;
    const own401 = this.challenge === undefined ? {} : { 'www-authenticate': this.challenge };
    const challenge = `Bearer resource_metadata="${party.url}${RESOURCE_DOCUMENT}"`;
    return { status: 401, headers: party === this.mcp ? own401 : { 'www-authenticate': challenge } };
  }
}

const RESULTS: Readonly<Record<string, Answer['body']>> = {
  'server/discover': {
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    resultType: 'complete',
  },
  'tools/list': { tools: [], resultType: 'complete' },
};

/** The proof that a request carries. */
export function proofOf({ headers }: Received) {
  if (typeof headers.dpop !== 'string') return undefined;
  const [header, claims] = headers.dpop
    .split('.', 2)
    .map(part => JSON.parse(Buffer.from(part, 'base64url').toString()));
  return { header, claims };
}

function decoded(text: string): string {
  return (
    [...new URLSearchParams(text)].flat().join('\n') +
    decodeURIComponent(text.replaceAll(/%(?![\da-f]{2})/gi, '%25'))
  );
}

/** What a header says, with what is packed in it. */
function plain(header: string): string {
  const [scheme, value = ''] = header.split(' ');
  return scheme === 'Basic'
    ? decodeURIComponent(Buffer.from(value, 'base64').toString().replaceAll('+', ' '))
    : header;
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
