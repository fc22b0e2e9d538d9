import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { install, installPacked, type Project } from './packed.js';

const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const STRICT = { noEmit: true, strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true };

const BROWSER = `
import { Server } from 'tenon';
import { protect } from 'tenon/auth';
import { signIn } from 'tenon/auth/client';
import { Client, connect, connectAll } from 'tenon/client';
import * as http from 'tenon/http';
import { ERROR, META } from 'tenon/protocol';
import { connectTest } from 'tenon/testing';

const client: Client = await connect('https://bistro.example/mcp', { auth: signIn({ redirect: undefined! }) });
console.log(await client.listTools(), ERROR, META);
export const used = [Server, protect, connectAll, http, connectTest];
`;

const NODE = `
import { Server } from 'tenon';
import { signIn } from 'tenon/auth/client';
import { connect } from 'tenon/client';
import { listen } from 'tenon/node';
import { serveStdio } from 'tenon/stdio';

const server = new Server({ name: 'bistro', version: '1.0.0' });
server.tool('hello', {}, () => 'hello');
const { url } = await listen(server, { port: 0 });
await using client = await connect(url, { auth: signIn() });
console.log(await client.callTool('hello'));
serveStdio(server);
`;

let project: Project;

beforeAll(async () => {
  project = await installPacked();
});

afterAll(() => project?.[Symbol.asyncDispose]());

it.each([
  ['pages', ['ES2022', 'DOM', 'DOM.Iterable']],
  ['workers', ['ES2022', 'WebWorker']],
])('a project for %s compiles without types of Node, with the declarations checked', async (_, lib) => {
  const options = { target: 'ES2022', module: 'ESNext', moduleResolution: 'Bundler', types: [], lib };
  expect(await compile(BROWSER, options)).toBe('');
});

it('a project for Node compiles with exactOptionalPropertyTypes', async () => {
  await install(['@types/node'], project.folder);
  const options = { target: 'ES2022', module: 'NodeNext', types: ['node'], lib: ['ES2022'] };
  expect(await compile(NODE, options)).toBe('');
});

/** What the compiler says. */
async function compile(program: string, options: object): Promise<string> {
  const { folder } = project;
  await writeFile(join(folder, 'program.ts'), program);
  const config = { compilerOptions: { ...STRICT, ...options }, files: ['program.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  return promisify(execFile)(process.execPath, [TSC, '-p', folder]).then(
    ({ stdout }) => stdout,
    error => error.stdout,
  );
}
