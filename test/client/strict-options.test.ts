import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/client/index.js';
import {
  bearer,
  clientCredentials,
  enterprise,
  signIn,
  workloadIdentity,
} from '../../src/node/client/auth/index.js';
import { connect, connectAll } from '../../src/node/client/index.js';
import { Server } from '../../src/server/index.js';

const URL = 'http://127.0.0.1:9/mcp';
const server = new Server({ name: 'bistro', version: '1.0.0' });
const id = { id: 'kitchen', secret: 'secret' };
const identityProvider = { issuer: 'https://id.example', client: { id: 'kitchen' } };

const MISTAKES: [what: string, remedy: string, act: () => unknown][] = [
  ['connect', 'timeoutMs', () => connect(URL, { timeout: 1000 } as object)],
  ['connect', 'timeoutMs', () => connect(server, { timeout: 1000 } as object)],
  ['connect', 'timeoutMs', () => connect({ command: 'none' }, { timeout: 1000 } as object)],
  ['connect', 'onElicit', () => connect(URL, { onelicit: () => {} } as object)],
  ['connect', 'headers', () => connectAll({ a: { target: URL, header: {} } as never })],
  ['connectAll', 'onProblem', () => connectAll({ a: server }, { onProblems: () => {} } as object)],
  ['signIn', 'scopes', () => signIn({ scope: 'all' } as object)],
  ['clientCredentials', 'secret', () => clientCredentials({ ...id, clientSecret: 'x' } as never)],
  ['workloadIdentity', 'clientId', () => workloadIdentity({ client: 'k', assertion: () => '' } as never)],
  [
    'enterprise',
    'idToken',
    () => enterprise({ client: id, identityProvider, idTokens: () => 'token' } as never),
  ],
];

describe('an option that does not exist', () => {
  it.each(MISTAKES)('is refused by %s, which names %s', async (what, remedy, act) => {
    const error = await Promise.resolve()
      .then(act)
      .then(
        () => undefined,
        thrown => thrown,
      );
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toContain(`${what} has no option`);
    expect(error.message).toContain(remedy);
  });
});

it('a token that is no text is refused, before anything is sent', () => {
  expect(() => bearer(undefined as never)).toThrow(UsageError);
  expect(() => bearer('')).toThrow(UsageError);
  expect(() => bearer('a\nb')).toThrow(UsageError);
});

describe('an option that only HTTP has', () => {
  it.each<[string, object]>([
    ['auth', { auth: bearer('secret') }],
    ['headers', { headers: { 'x-key': 'secret' } }],
  ])('is refused for anything but a URL: %s', async (name, options) => {
    for (const target of [{ command: 'none' }, server]) {
      await expect(connect(target, options)).rejects.toThrow(
        new UsageError(
          `${name} is only sent over HTTP: connect to a URL, or give a program its credentials with { command, env: { TOKEN: "…" } }`,
        ),
      );
    }
  });
});
