import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { startIdentityProvider } from '../auth/client/identity-provider.js';
import { serveFiles } from '../auth/client/protected-files.js';
import { User } from '../auth/client/user.js';
import { cleanEnv, TENON } from '../cli/run.js';
import { temporaryFolder } from '../cli/temporary-folder.js';
import { visitPages } from '../cli/visit-pages.js';
import { codeBlocks } from './blocks.js';

it('the page on authorization shows lines for the shell that check a protected server', async () => {
  const url = await serveFiles(await startIdentityProvider());
  const { code = '' } = codeBlocks('docs/authorization.md').find(({ language }) => language === 'sh') ?? {};
  const lines = code.trim().replaceAll('https://mcp.example.com', new URL(url).origin).split('\n');
  expect(lines).toHaveLength(3);
  const [refusal = '', metadata = '', verdict] = await runAsUser(lines);
  expect(refusal).toMatch(/^HTTP\/1\.1 401 /);
  // The answer names the address that the next line reads.
  expect(refusal).toContain(`resource_metadata="${lines[1]?.split(' ').at(-1)}"`);
  expect(JSON.parse(metadata)).toMatchObject({ resource: url });
  expect(verdict).toContain('nothing is wrong with this server');
});

/** Runs lines in a shell, for a user who signs in wherever that is asked for. Returns what each line printed. */
async function runAsUser(lines: readonly string[]): Promise<string[]> {
  const user = new User('ada');
  const home = await temporaryFolder();
  // No program opens browsers on this path, so the address of the page is printed.
  const tenon = `tenon() { PATH="${home}" "${process.execPath}" "${TENON}" "$@"; }`;
  const script = [tenon, ...lines].join('\nprintf "\\0"\n');
  const child = spawn('bash', ['-ec', script], { env: { ...cleanEnv(home), XDG_CONFIG_HOME: home } });
  const [stdout, stderr] = [child.stdout, child.stderr].map(stream => {
    const printed = { text: '' };
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed.text += text;
      void visitPages(printed.text, user);
    });
    return printed;
  });
  const [exitCode] = await once(child, 'close');
  expect(exitCode, stderr?.text).toBe(0);
  return stdout?.text.split('\0').slice(1) ?? [];
}
