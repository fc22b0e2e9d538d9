import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type IdentityProvider, startIdentityProvider } from '../auth/client/identity-provider.js';
import { serveFiles } from '../auth/client/protected-files.js';
import { User } from '../auth/client/user.js';
import { type Outcome, tenon } from './run.js';
import { start } from './running.js';
import { temporaryFolder } from './temporary-folder.js';
import { visitPages } from './visit-pages.js';

/** A server that wants a sign-in, and a machine with a user who has never signed in. */
interface Scene {
  readonly provider: IdentityProvider;
  readonly url: string;
  readonly user: User;
  readonly env: NodeJS.ProcessEnv;
  /** Runs `tenon`; whenever it asks to open a page, the user goes through it. */
  run(...args: string[]): Promise<Outcome>;
}

async function setScene(): Promise<Scene> {
  const provider = await startIdentityProvider();
  const user = new User('ada');
  const home = await temporaryFolder();
  // No program opens browsers here, so the address of the page is printed.
  const env = { PATH: home, XDG_CONFIG_HOME: home };
  const run = (...args: string[]) => tenon(args, { env, onStderr: text => void visitPages(text, user) });
  return { provider, url: await serveFiles(provider), user, env, run };
}

it('signs in with the browser to call a tool, and remembers it for other commands', async () => {
  const { provider, url, user, env, run } = await setScene();
  const called = await run('call', url, 'whoami', '--sign-in', '--json');
  expect(called.code, called.stderr).toBe(0);
  const [{ text }] = JSON.parse(called.stdout).content;
  expect(JSON.parse(text)).toMatchObject({ subject: 'ada', scopes: ['mcp'] });
  expect(provider.registrations).toMatchObject([{ client_name: 'Tenon command line' }]);

  const file = join(env.XDG_CONFIG_HOME as string, 'tenon/credentials.json');
  expect((await stat(file)).mode & 0o077).toBe(0);
  expect(await readFile(file, 'utf8')).toContain(provider.latest.accessToken);
  expect(`${called.stdout}${called.stderr}`).not.toContain(provider.latest.accessToken);

  for (const words of [
    ['list', url, 'tools', '--search', 'whoami'],
    ['snapshot', url],
    ['doctor', url, '--json'],
  ]) {
    const { code, stdout, stderr } = await run(...words, '--sign-in');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(words[0] === 'doctor' ? '2026-07-28' : 'whoami');
  }
  expect(user.visits).toHaveLength(1);
  expect(provider.requests('authorization_code')).toHaveLength(1);
});

it('asks for more scopes when a tool needs them', async () => {
  const { url, user, run } = await setScene();
  const { code, stdout, stderr } = await run('call', url, 'files_write', '--sign-in');
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'did files:write\n' });
  expect(user.visits.at(-1)?.searchParams.get('scope')).toContain('files:write');
});

it('ends with 4 if the user does not agree, and if there is no --sign-in', async () => {
  const { url, user, run } = await setScene();
  const without = await run('list', url);
  expect(without.code).toBe(4);
  expect(without.stderr).toContain('next: Sign in with --sign-in');
  user.agrees = false;
  const refused = await run('list', url, '--sign-in');
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain('error: ');
  expect(user.visits).toHaveLength(1);
});

it.each(['2026-07-28', '2025-06-18'])(
  'traces a server that needs a sign-in, for a client of %s that has no token',
  async revision => {
    const { provider, url, user, env } = await setScene();
    const trace = start(['trace', '--json', url, '--sign-in'], { env });
    trace.child.stderr?.on('data', () => void visitPages(trace.stderr, user));
    const address = await trace.line(line => line.address as string | undefined);
    const { code, stdout } = await tenon(['call', address, 'whoami', '--revision', revision]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ subject: 'ada' });
    await trace.line(
      ({ from, message }: any) => (from === 'server' && message?.result?.content) || undefined,
    );
    expect(await trace.end()).toBe(130);
    expect(JSON.stringify(trace.lines)).not.toContain(provider.latest.accessToken);
  },
);
