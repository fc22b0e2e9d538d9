import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { install, installPacked, type Project } from './packed.js';

const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const CONFIG = {
  compilerOptions: { noEmit: true, strict: true, skipLibCheck: true, target: 'ES2022', module: 'NodeNext' },
};

const input = (at: number) =>
  `z.object({ a${at}: z.string(), b: z.number().int().min(${at}), c: z.enum(['x', 'y']).optional() })`;
const output = (at: number) => `z.object({ id: z.string(), n${at}: z.number() })`;

const OURS = {
  start: `import { Server } from 'tenon'; const server = new Server({ name: 'bistro', version: '1.0.0' });`,
  tool: (at: number) =>
    `server.tool('t${at}', { input: ${input(at)}, output: ${output(at)} }, ` +
    `async ({ a${at}, b }) => ({ id: a${at}, n${at}: b }));`,
};
const OFFICIAL = {
  start:
    `import { McpServer } from '@modelcontextprotocol/server'; ` +
    `const server = new McpServer({ name: 'bistro', version: '1.0.0' });`,
  tool: (at: number) =>
    `server.registerTool('t${at}', { inputSchema: ${input(at)}, outputSchema: ${output(at)} }, ` +
    `async ({ a${at}, b }) => ({ content: [], structuredContent: { id: a${at}, n${at}: b } }));`,
};

let project: Project;

beforeAll(async () => {
  project = await installPacked();
  await install(['zod', '@modelcontextprotocol/server', '@types/node'], project.folder);
});

afterAll(() => project?.[Symbol.asyncDispose]());

it.each([1, 50])(
  '%i tools cost the compiler less than with the official SDK',
  async count => {
    const ours = await instantiations(OURS, count);
    const official = await instantiations(OFFICIAL, count);
    console.log(`instantiations for ${count} tools: ${ours}, official SDK ${official}`);
    expect(ours).toBeLessThan(official);
  },
  60_000,
);

/** How many types the compiler makes for a server with so many tools. */
async function instantiations({ start, tool }: typeof OURS, count: number): Promise<number> {
  const tools = Array.from({ length: count }, (_, at) => tool(at));
  await writeFile(join(project.folder, 'cost.ts'), [`import { z } from 'zod';`, start, ...tools].join('\n'));
  const config = join(project.folder, 'tsconfig.json');
  await writeFile(config, JSON.stringify({ ...CONFIG, files: ['cost.ts'] }));
  const { stdout } = await promisify(execFile)(process.execPath, [
    TSC,
    '-p',
    config,
    '--extendedDiagnostics',
  ]);
  return Number(/Instantiations:\s+(\d+)/.exec(stdout)?.[1]);
}
