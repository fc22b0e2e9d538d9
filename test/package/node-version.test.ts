import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it.each([
  ['tenon/node', '18.20.8'],
  ['tenon/stdio', '18.20.8'],
  ['tenon/client', '20.0.0'],
  ['tenon/auth/client', '20.11.1'],
])('%s says which Node it needs when it is imported on %s', async (entry, version) => {
  expect(await importOn(version, entry)).toBe(
    `usage: Tenon needs Node 20.12 or newer; this is Node ${version}\n`,
  );
});

it('agrees with package.json about the oldest Node', async () => {
  const { engines } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(engines.node).toBe('>=20.12');
});

it.each(['20.12.0', '21.0.0', '100.0.0'])('Node %s is new enough', async version => {
  expect(await importOn(version, 'tenon/node')).toBe('imported\n');
});

/** What a program prints that imports an entry on a Node that says it is of another version. */
async function importOn(version: string, entry: string): Promise<string> {
  const pretend = `const value = { ...process.versions, node: ${JSON.stringify(version)} };
    Object.defineProperty(process, 'versions', { value });`;
  const program = `await import(${JSON.stringify(entry)}).then(
    () => console.log('imported'),
    error => console.log(error.kind + ': ' + error.message),
  );`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, '--input-type=module', '-e', program],
    { cwd: ROOT },
  );
  return stdout;
}
