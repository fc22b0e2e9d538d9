import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Server } from 'tenon';
import { app, visibleTo } from 'tenon/apps';
import { connect } from 'tenon/client';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { blocksIn, runSnippet } from './snippets.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = await readFile(`${root}/docs/apps.md`, 'utf8');
const run = promisify(execFile);

const CHECK = `
import { connect } from 'tenon/client';
import { listen } from 'tenon/node';
import server from './server.js';
const running = await listen(server, { port: 0 });
const client = await connect(running.url);
const { contents } = await client.readResource('ui://forecast/view.html');
const { content } = await client.callTool('forecast', { city: 'Rome' });
console.log(JSON.stringify({ text: contents[0].text, content }));
await client.close();
await running.close();
`;

it('the page on apps makes an app from nothing, as it stands there', async () => {
  const named = [
    ...[...page.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```/gms)],
    ...[...page.matchAll(/^```html\n<!-- (\S+) -->\n(.*?)^```/gms)],
  ];
  expect(named.map(([, name]) => name)).toEqual(['server.ts', 'build.ts', 'forecast.html']);
  // Inside the project, so that packages are found the way that a user finds them.
  const folder = await mkdtemp(`${root}/test/readme/.snippet-`);
  try {
    for (const [, name, code = ''] of named) await writeFile(`${folder}/${name}`, code);
    await writeFile(`${folder}/check.ts`, CHECK);
    const tsx = (file: string) =>
      run(process.execPath, ['--import', 'tsx', file], { cwd: folder, maxBuffer: 2 ** 24 });
    await tsx('build.ts');
    const { text, content } = JSON.parse((await tsx('check.ts')).stdout);
    expect(content).toEqual([{ type: 'text', text: 'Rome: 12, 15, 11 °C' }]);
    // The script has what it imports in it.
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).toContain('ui/notifications/tool-result');
    expect(text).not.toMatch(/\bimport\s*\{/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('the page on apps has snippets that run', async () => {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  const [mapPage, boardPage] = ['<!doctype html><title>Map</title>', '<!doctype html><title>Board</title>'];
  const snippets = blocksIn('docs/apps.md').filter(block => block.includes("from 'tenon/apps'"));
  for (const code of snippets.filter(block => !block.startsWith('// ')))
    await runSnippet(code, { server, z, app, visibleTo, mapPage, boardPage });
  const client = await connect(server);
  expect((await client.tools()).map(({ name, _meta }) => [name, _meta?.ui])).toEqual([
    ['map', { resourceUri: 'ui://map/view.html' }],
    ['board', { resourceUri: 'ui://board/view.html' }],
    ['move', { visibility: ['app'] }],
    ['clear', { resourceUri: 'ui://board/view.html', visibility: ['model'] }],
  ]);
  await client.close();
});
