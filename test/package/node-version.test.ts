import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it.each(['tenon/node', 'tenon/stdio', 'tenon/client', 'tenon/auth/client'])(
  '%s says which Node it needs when it is imported on an older one',
  async entry => {
    expect(await importOn('18.20.8', entry)).toBe(
      'usage: Tenon needs Node 20 or newer; this is Node 18.20.8\n',
    );
  },
);

it.each(['20.0.0', '100.0.0'])('Node %s is new enough', async version => {
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
