import { expect, it } from 'vitest';
import { UsageError } from '../../../src/client/index.js';
import { signIn } from '../../../src/node/client/auth/index.js';
import { connect } from '../../../src/node/client/index.js';
import { startIdentityProvider } from './identity-provider.js';
import { serveFiles } from './protected-files.js';

const REFUSED = [
  'http://kitchen.example/cb',
  'http://10.0.0.1/cb',
  'http://localhost.example/cb',
  'ftp://localhost/cb',
  'com.example.kitchen:/cb',
  'javascript:alert(1)',
  'https://kitchen.example/cb#part',
  'not a url',
];

// covers: 2025-06-18/authorization/redirect-uri-is-localhost-or-https
// covers: 2026-07-28/authorization-security/redirects-are-https-or-localhost
it.each(REFUSED)('users are not brought back to %s', uri => {
  expect(() => signIn({ redirect: { uri } })).toThrow(UsageError);
});

it.each([
  'https://kitchen.example/cb',
  'http://localhost:8976/cb',
  'http://127.0.0.1/cb',
  'http://[::1]:8976/cb',
])('users can be brought back to %s', uri => {
  expect(() => signIn({ redirect: { uri } })).not.toThrow();
});

// covers: 2026-07-28/authorization-security/redirects-are-https-or-localhost
it('a redirect of your own cannot bring users back without encryption either', async () => {
  const provider = await startIdentityProvider();
  const visits: URL[] = [];
  const redirect = {
    prepare: () => ({
      uri: 'http://kitchen.example/cb',
      visit: async (url: URL) => {
        visits.push(url);
        return undefined;
      },
      close() {},
    }),
  };
  const connecting = connect(await serveFiles(provider), { auth: signIn({ redirect }) });
  await expect(connecting).rejects.toThrow('http://kitchen.example/cb');
  expect(visits).toEqual([]);
  expect(provider.registrations).toEqual([]);
});
