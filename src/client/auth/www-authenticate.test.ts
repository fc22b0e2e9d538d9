import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatChallenge } from '../../server/http/format-challenge.js';
import { readDemand } from './www-authenticate.js';

describe('a WWW-Authenticate header', () => {
  test.for<[header: string | undefined, demand: object]>([
    [undefined, {}],
    ['', {}],
    ['Bearer', {}],
    ['Bearer scope="a b"', { scope: 'a b' }],
    ['bearer SCOPE=a', { scope: 'a' }],
    ['Bearer scope = "a"', { scope: 'a' }],
    ['Bearer scope="a",resource_metadata="https://x/y"', { scope: 'a', resourceMetadata: 'https://x/y' }],
    ['Bearer realm="say \\"hi\\", friend", error="invalid_token"', { error: 'invalid_token' }],
    ['Basic realm="x", Bearer scope="a"', { scope: 'a' }],
    ['Basic scope="not for us"', {}],
    ['Negotiate dG9rZW4=, Bearer scope="a"', { scope: 'a' }],
    ['Negotiate dG9rZW4==', {}],
    ['DPoP algs="ES256", error="use_dpop_nonce"', { error: 'use_dpop_nonce' }],
    ['Bearer, DPoP algs="ES256", scope="a"', { scope: 'a' }],
    ['Bearer scope="a", scope="b"', { scope: 'a' }],
    ['Bearer scope="a" resource_metadata="https://x"', { scope: 'a', resourceMetadata: 'https://x' }],
    ['Bearer scope="never ends', {}],
    [',,, Bearer ,,, scope="a" ,,,', { scope: 'a' }],
    ['Bearer scope=""', { scope: '' }],
    [`Bearer scope="${'a'.repeat(20_000)}"`, {}],
  ])('%s', ([header, demand]) => {
    expect(readDemand(header)).toEqual(demand);
  });

  test('as our servers write it says what they wanted to say', () => {
    const text = fc.string({ unit: fc.constantFrom(...'abc XYZ09:/.-_~,=;') }).filter(value => value !== '');
    fc.assert(
      fc.property(fc.constantFrom('Bearer', 'DPoP'), text, text, (scheme, scope, resource_metadata) => {
        const header = formatChallenge(scheme, { error: 'insufficient_scope', scope, resource_metadata });
        expect(readDemand(header)).toEqual({
          error: 'insufficient_scope',
          scope,
          resourceMetadata: resource_metadata,
        });
      }),
    );
  });

  test('of any kind is read, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 200 }), header => {
        readDemand(header);
      }),
    );
  });
});
