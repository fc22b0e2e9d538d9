import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = await readFile(`${root}/docs/skills.md`, 'utf8');
const run = promisify(execFile);

it('the page on skills shows a server, a provider and a host that run as they stand there', async () => {
  const blocks = [...page.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```/gms)];
  expect(blocks.map(([, name]) => name)).toEqual(['server.ts', 'provider.ts', 'host.ts']);
  // Inside the project, so that `tenon` is found the way that a user finds it.
  const folder = await mkdtemp(`${root}/test/readme/.snippet-`);
  try {
    await cp(`${root}/test/conformance/fixture/skill-folder`, `${folder}/skills`, { recursive: true });
    for (const [, name, code] of blocks) await writeFile(`${folder}/${name}`, code as string);
    const tsx = (file: string) => run(process.execPath, ['--import', 'tsx', file], { cwd: folder });
    await tsx('provider.ts');
    const { stdout, stderr } = await tsx('host.ts');
    expect(stderr).toBe('');
    const place = join(folder, 'saved/shop/skill%3A%2F%2Facme%2Frefunds/refunds');
    expect(stdout.trim().split('\n')).toEqual([
      "[ 'refunds', 'pdf-processing' ] []",
      "Refunds above 100 need the word of a manager. [ 'SKILL.md', 'examples/email.md' ]",
      'Dear customer, your money is on its way.',
      '"../../etc/passwd" leads out of the folder of the skill skill://acme/refunds/SKILL.md',
      place,
    ]);
    expect((await readdir(place)).sort()).toEqual(['SKILL.md', 'examples']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
