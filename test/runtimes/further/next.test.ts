import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { expectReservations } from '../examples-suite.js';
import { afterTests, ROOT, runProgram, startServer } from '../program.js';
import { PACKAGES } from './installed.js';

it('the example on Next, built and started', { timeout: 600_000 }, async () => {
  const folder = await createApp();
  const next = `${PACKAGES}/next/dist/bin/next`;
  // Turbopack takes no packages from outside of the folder.
  expect(await runProgram([process.execPath], next, 'build', '--webpack', folder)).toContain('/mcp');
  const options = ['start', folder, '--port', '0', '--hostname', '127.0.0.1'];
  const origin = await startServer([process.execPath], next, {}, ...options);
  await expectReservations(`${origin}/mcp`);
});

/** The example as an app of its own, in a temporary folder. */
async function createApp(): Promise<string> {
  const folder = await mkdtemp(`${tmpdir()}/tenon-next-`);
  afterTests(() => rm(folder, { recursive: true, maxRetries: 5 }));
  await writeFile(`${folder}/package.json`, '{ "private": true, "type": "module" }');
  // The route has no types in it. As JavaScript, Next does not want to install TypeScript.
  await cp(`${ROOT}/examples/next/app/mcp/route.ts`, `${folder}/app/mcp/route.js`);
  await mkdir(`${folder}/node_modules`);
  const packages = { tenon: ROOT, zod: `${ROOT}/node_modules/zod` };
  for (const name of ['next', 'react', 'react-dom'])
    Object.assign(packages, { [name]: `${PACKAGES}/${name}` });
  for (const [name, path] of Object.entries(packages)) await symlink(path, `${folder}/node_modules/${name}`);
  return folder;
}
