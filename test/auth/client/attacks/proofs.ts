import { type Attack, ask } from './attack.js';
import type { Library, Mutation } from './mutants.js';
import { hashOf, proofOf, type World } from './world.js';

const DPOP = 'client/auth/dpop.ts';
const NONCE = 'client/auth/dpop-nonce.ts';

/** Demands tokens that are bound to a key. */
function demandsKeys({ resource, metadata }: World): void {
  resource.dpop_bound_access_tokens_required = true;
  metadata.dpop_signing_alg_values_supported = ['ES256'];
}

/** The proofs that came with a token. */
function proofsOf({ mcp }: World) {
  return mcp.received.flatMap(received => {
    const proof = proofOf(received);
    return proof ? [{ ...proof, received }] : [];
  });
}

async function askTwice(library: Library, world: World): Promise<void> {
  const auth = library.signIn(world.signInOptions);
  await ask(library, world, auth, `${world.serverUrl}?table=1`);
  await ask(library, world, auth, `${world.serverUrl}?table=1`);
}

type Proof = ReturnType<typeof proofsOf>[number];

/** What has to be true of proofs, so that a server which keeps one can do nothing with it. */
const PROPERTIES: [what: string, isTrue: (proofs: Proof[], world: World) => boolean, mutation: Mutation][] = [
  [
    'uses a proof again',
    proofs => new Set(proofs.map(({ claims }) => claims.jti)).size === proofs.length,
    { file: DPOP, from: 'jti: crypto.randomUUID(),', to: "jti: 'x'," },
  ],
  [
    'uses a proof with another token',
    proofs =>
      proofs.every(
        ({ claims, received }) => claims.ath === hashOf(received.headers.authorization?.split(' ')[1] ?? ''),
      ),
    { file: DPOP, from: 'encode(accessToken)', to: "encode('')" },
  ],
  [
    'uses a proof at another path',
    (proofs, { serverUrl }) => proofs.every(({ claims }) => claims.htu === serverUrl),
    { file: DPOP, from: 'htu: origin + pathname,', to: 'htu: origin,' },
  ],
  [
    'reads the query in a proof',
    (proofs, { serverUrl }) => proofs.every(({ claims }) => claims.htu === serverUrl),
    { file: DPOP, from: 'htu: origin + pathname,', to: 'htu: request.url,' },
  ],
  [
    'uses a proof with another method',
    proofs => proofs.every(({ claims, received }) => claims.htm === received.method),
    { file: DPOP, from: 'htm: request.method,', to: "htm: 'GET'," },
  ],
  [
    'keeps a proof for later',
    proofs => proofs.every(({ claims }) => Math.abs(claims.iat - Date.now() / 1000) < 60),
    { file: DPOP, from: '.setIssuedAt()', to: '.setIssuedAt(4e9)' },
  ],
  [
    'looks for the private key in a proof',
    proofs => proofs.every(({ header }) => Object.keys(header.jwk).sort().join() === 'crv,kty,x,y'),
    { file: DPOP, from: 'return new ProofKey(pair, publicJwk,', to: 'return new ProofKey(pair, stored,' },
  ],
  [
    'takes a proof for something else that is signed',
    proofs => proofs.every(({ header }) => header.typ === 'dpop+jwt' && header.alg === 'ES256'),
    { file: DPOP, from: "typ: 'dpop+jwt',", to: '' },
  ],
];

export const PROOF_ATTACKS: Attack[] = [
  ...PROPERTIES.map(
    ([what, isTrue, mutation]): Attack => ({
      name: `a server that ${what}`,
      lies: demandsKeys,
      act: askTwice,
      outcome: 'works',
      check: world => proofsOf(world).length >= 2 && isTrue(proofsOf(world), world),
      mutations: [mutation],
      undefended: world => !isTrue(proofsOf(world), world),
    }),
  ),
  {
    name: 'an authorization server that wants another nonce each time',
    lies: world => {
      demandsKeys(world);
      let nonces = 0;
      world.as.routes.set('POST /token', () => ({
        status: 400,
        headers: { 'dpop-nonce': `nonce-${++nonces}` },
        body: { error: 'use_dpop_nonce' },
      }));
    },
    outcome: 'denied',
    check: ({ as, visits }) => as.at('/token').length === 2 && visits.length === 1,
    mutations: [
      {
        file: 'client/auth/token-endpoint.ts',
        from: 'if (isDPoPNonceError(error)) return attempt();',
        to: 'const again = (left: number): never => attempt().catch(() => left > 0 ? again(left - 1) : attempt()) as never;\n      return again(20);',
      },
    ],
    undefended: ({ as }) => as.at('/token').length > 10,
  },
  {
    name: 'an authorization server that wants a nonce, but gives none',
    lies: world => {
      demandsKeys(world);
      world.as.routes.set('POST /token', () => ({ status: 400, body: { error: 'use_dpop_nonce' } }));
    },
    outcome: 'denied',
    check: ({ as, visits }) => as.at('/token').length <= 2 && visits.length === 1,
    mutations: [
      {
        file: 'client/auth/token-endpoint.ts',
        from: 'if (isDPoPNonceError(error)) return attempt();',
        to: 'const again = (left: number): never => attempt().catch(() => left > 0 ? again(left - 1) : attempt()) as never;\n      return again(20);',
      },
    ],
    undefended: ({ as }) => as.at('/token').length > 10,
  },
  {
    name: 'a server that wants another nonce each time',
    lies: world => {
      demandsKeys(world);
      let nonces = 0;
      world.serve = (_, isLetIn) =>
        isLetIn
          ? {
              status: 401,
              headers: {
                'www-authenticate': 'DPoP error="use_dpop_nonce"',
                'dpop-nonce': `nonce-${++nonces}`,
              },
            }
          : undefined;
    },
    outcome: 'refused',
    check: ({ mcp, visits }) => mcp.at('/mcp').length <= 8 && visits.length <= 3,
    mutations: [{ file: NONCE, from: 'this.#tries++ < MAX_TRIES', to: 'this.#tries++ < 20' }],
    undefended: ({ mcp }) => mcp.at('/mcp').length > 20,
  },
  {
    name: 'a server that wants the same nonce again and again',
    lies: world => {
      demandsKeys(world);
      world.serve = (_, isLetIn) =>
        isLetIn
          ? { status: 401, headers: { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'x' } }
          : undefined;
    },
    outcome: 'refused',
    check: ({ mcp, visits }) => mcp.at('/mcp').length <= 6 && visits.length <= 3,
    mutations: [
      {
        file: NONCE,
        from: 'this.#hasNew = nonce !== undefined && nonce !== this.#shown;',
        to: 'this.#hasNew = true;',
      },
      { file: NONCE, from: 'this.#tries++ < MAX_TRIES', to: 'this.#tries++ < 20' },
    ],
    undefended: ({ mcp }) => mcp.at('/mcp').length > 20,
  },
  ...['"\\, {}', 'x", "htu":"http://evil', 'é\u00ff', 'a.b.c', ' '.repeat(3), 'x'.repeat(8000)].map(
    (nonce): Attack => ({
      name: `a nonce like ${JSON.stringify(nonce.slice(0, 24))}`,
      lies: world => {
        demandsKeys(world);
        let isToldOnce = false;
        world.serve = (_, isLetIn) => {
          if (!isLetIn || isToldOnce) return undefined;
          isToldOnce = true;
          return {
            status: 401,
            headers: { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': nonce },
          };
        };
      },
      outcome: 'works',
      check: world => {
        const { claims } = proofsOf(world).at(-1)!;
        return claims.nonce === nonce.trim() && claims.htu === world.serverUrl;
      },
      mutations: [
        {
          file: DPOP,
          from: '...(nonce !== undefined && { nonce }),',
          to: 'nonce: nonce === undefined ? undefined : nonce.replace(/^/, "!"),',
        },
      ],
      undefended: world => proofsOf(world).at(-1)?.claims.nonce !== nonce.trim(),
    }),
  ),
];
