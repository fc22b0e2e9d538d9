import { expect, it } from 'vitest';
import { readChallenge } from '../http/challenge.js';

it('reads the parameters of a bearer challenge, quoted or not', () => {
  const header =
    'Basic realm="x", Bearer error=invalid_token, error_description="the \\"token\\" is old", scope="a b"';
  expect(readChallenge(header)).toEqual({
    scheme: 'Bearer',
    resourceMetadata: undefined,
    scope: 'a b',
    error: 'invalid_token',
    description: 'the "token" is old',
  });
});

it('reads where the metadata is', () => {
  const { resourceMetadata } = readChallenge('Bearer resource_metadata="https://bistro.example/meta"') ?? {};
  expect(resourceMetadata).toBe('https://bistro.example/meta');
});

it.each([undefined, '', 'Basic realm="menu"'])('finds no bearer challenge in %j', header => {
  expect(readChallenge(header)).toBeUndefined();
});
