import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createProject } from './programs.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = await readFile(`${root}/docs/asking.md`, 'utf8');

/** Calls the tool of the example with a client of each revision, and prints what was asked and answered. */
const CALLS = `
import { connect } from 'tenon/client';
import { listen } from 'tenon/node';

const listening = await listen(server, { port: 0 });
const heard: unknown[] = [];
for (const revision of ['2025-11-25', '2026-07-28']) {
  const client = await connect(listening.url, {
    revision,
    onElicit: async ({ message }) => {
      heard.push(message);
      return { action: 'accept', content: message.startsWith('How many') ? { guests: 2 } : { ok: true } };
    },
  });
  heard.push((await client.callTool('reserve')).content);
  await client.close();
}
console.log(JSON.stringify(heard));
await listening.close();
`;

it('the page on asking shows a tool that asks by hand and runs as it stands there', async () => {
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(match => match[1] as string);
  const [example] = blocks.filter(block => block.includes('import { type InputRequest, inputRequired'));
  const folder = await mkdtemp(join(tmpdir(), 'tenon-snippet-'));
  await createProject(folder);
  try {
    await writeFile(`${folder}/asking.ts`, example + CALLS);
    const run = promisify(execFile)(process.execPath, ['--import', 'tsx', `${folder}/asking.ts`]);
    expect(JSON.parse((await run).stdout)).toEqual([
      'How many guests?',
      'Table 1 is free. Take it?',
      [{ type: 'text', text: 'Table 1 is reserved for 2.' }],
      'How many guests?',
      'Table 2 is free. Take it?',
      [{ type: 'text', text: 'Table 2 is reserved for 2.' }],
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
