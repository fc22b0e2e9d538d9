import { expect, it } from 'vitest';
import { AccessError, bearer, clientCredentials } from '../../../src/node/client/auth/index.js';
import { connect } from '../../../src/node/client/index.js';
import { failure, serveRaw } from '../../client-faults/connected.js';

const AUDIENCE = 'Bearer error="invalid_token", error_description="the token is for another audience"';

/** A server that refuses every token. */
async function serveRefusal(challenge: string): Promise<string> {
  const server = await serveRaw(ask => ask.send(401, '', { 'www-authenticate': challenge }));
  return server.url;
}

it('the error says why the server refuses a token', async () => {
  const error = await failure(connect(await serveRefusal(AUDIENCE), { auth: bearer('old') }));
  expect(error).toBeInstanceOf(AccessError);
  expect(error.problem).toBe('refused');
  expect(error.message).toBe('the server refuses the token: the token is for another audience');
});

it('the error says why the server refuses tokens of its own authorization server', async () => {
  const url = await serveRefusal(AUDIENCE);
  const issuer = 'https://auth.example';
  // The authorization server, which gives a new token to everybody.
  let count = 0;
  const fetch: typeof globalThis.fetch = async input => {
    if (String(input).includes('protected-resource'))
      return Response.json({ resource: url, authorization_servers: [issuer] });
    if (String(input).startsWith(`${issuer}/.well-known`))
      return Response.json({ issuer, token_endpoint: `${issuer}/token` });
    return Response.json({ access_token: `token-${++count}`, token_type: 'Bearer' });
  };
  const auth = clientCredentials({ id: 'kitchen', secret: 'secret', fetch });
  const error = await failure(connect(url, { auth }));
  expect(error).toMatchObject({ kind: 'access', problem: 'refused' });
  expect(error.message).toContain('the token is for another audience');
});

it('the error has the code of the server if there is no description', async () => {
  const error = await failure(
    connect(await serveRefusal('Bearer error="invalid_token"'), { auth: bearer('old') }),
  );
  expect(error.message).toBe('the server refuses the token: invalid_token');
});

it('the error gives no reason if the server gives none', async () => {
  const error = await failure(connect(await serveRefusal('Bearer'), { auth: bearer('old') }));
  expect(error.message).toBe('the server refuses the token');
});

it('the error names the scopes that a token lacks', async () => {
  const demand = 'Bearer error="insufficient_scope", scope="menu:read orders:write"';
  const server = await serveRaw(ask => ask.send(403, '', { 'www-authenticate': demand }));
  const error = await failure(connect(server.url, { auth: bearer('narrow') }));
  expect(error).toMatchObject({ kind: 'access', problem: 'scope' });
  expect(error.message).toBe('the token lacks scopes: the server requires menu:read orders:write');
});

it('a very long reason is cut', async () => {
  const url = await serveRefusal(`Bearer error_description="${'a'.repeat(5000)}"`);
  const error = await failure(connect(url, { auth: bearer('old') }));
  expect(error.message.length).toBeLessThan(600);
});
