import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { Server } from 'tenon';
import { listen } from 'tenon/node';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { cleanEnv, TENON } from '../cli/run.js';
import { projectWith, start } from '../cli/running.js';
import { freshKeys } from '../keys.js';
import { useBrowser } from './browser.js';
import { lane, link } from './locate.js';
import { openPage } from './open-page.js';

const tabs = useBrowser();
const run = promisify(execFile);

/** Everything that a shell, a header or a program could stumble over. */
const HARD = 'O\'Brien said: "$HOME `crème` \\ ${x}" & more';
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };

it.each([
  ['the newest revision', 'newest'],
  ['a revision with a handshake', '2025-06-18'],
])('copies a call on %s that runs in the shell and as a program', async (_, revision) => {
  const page = await openEcho();
  if (revision !== 'newest') await page.getByRole('combobox', { name: 'Revision' }).selectOption(revision);
  await link(page, 'repeat').click();
  await page.getByRole('textbox', { name: 'text' }).fill(HARD);
  await page.getByRole('textbox', { name: 'region' }).fill('île-de-france');
  const shell = await createShell();
  const expected = `${HARD} from île-de-france`;
  expect(await shell.run(await copy(page, page, 'tenon'))).toContain(expected);
  expect(await shell.run(await copy(page, page, 'curl'))).toContain(JSON.stringify(expected).slice(1, -1));
  expect(await shell.runTypeScript(await copy(page, page, 'TypeScript'))).toContain('île-de-france');
});

it('copies prompts and resources, too, and calls of the past', async () => {
  const page = await openEcho();
  const shell = await createShell();
  const runAll = async (page: Page) => [
    await shell.run(await copy(page, page, 'tenon')),
    await shell.run(await copy(page, page, 'curl')),
    await shell.runTypeScript(await copy(page, page, 'TypeScript')),
  ];
  await link(page, 'welcome').click();
  await page.getByRole('textbox', { name: 'guest' }).fill(HARD);
  for (const text of await runAll(page)) expect(text).toContain('Welcome, O');
  await page.getByRole('button', { name: 'Get' }).click();
  await lane(page).getByText('Welcome, O').waitFor();

  await link(page, 'crème').click();
  await lane(page).getByText('thick and sweet').waitFor();
  for (const text of await runAll(page)) expect(text).toContain('thick and sweet');

  await page.getByRole('tab', { name: 'History' }).click();
  const past = page.getByRole('listitem').filter({ hasText: 'welcome' }).filter({ hasText: 'Copy as' });
  expect(await shell.run(await copy(page, past, 'tenon'))).toContain('Welcome, O');
});

it('copies calls of a program that `tenon open` started', async () => {
  const folder = await projectWith({ 'my server.mjs': STDIO_SERVER });
  const program = ['node', join(folder, 'my server.mjs')];
  const command = start(['open', '--no-open', '--json', '--', ...program]);
  const address = await command.line(({ page }) => page as string | undefined);
  const page = await tabs.open(address, CLIPBOARD);
  await link(page, 'greet').click();
  const shell = await createShell();
  expect(await shell.run(await copy(page, page, 'tenon'))).toContain('Hello');
  expect(await shell.runTypeScript(await copy(page, page, 'TypeScript'))).toContain('Hello');
});

it('copies a link that leads to the filled form, also in another tab', async () => {
  const page = await openEcho();
  await page.getByRole('combobox', { name: 'Revision' }).selectOption('2025-11-25');
  await page.getByLabel('Compare with').selectOption('2025-06-18');
  await link(page, 'repeat').click();
  await page.getByRole('textbox', { name: 'text' }).fill(HARD);
  const address = await copy(page, page, 'Link to this form');
  expect(address).not.toContain('key');

  const other = await page.context().newPage();
  await other.goto(address);
  await other.getByText('Connected, 2025-11-25').waitFor();
  expect(await other.getByRole('textbox', { name: 'text' }).inputValue()).toBe(HARD);
  await other.getByRole('button', { name: 'Run' }).click();
  await lane(other, 0).getByText(HARD).waitFor();
  await lane(other, 1).getByText(HARD).waitFor();

  // A link that is followed in the tab that shows the form changes what is filled in.
  const { hash } = new URL(address);
  await other.evaluate(`location.hash = ${JSON.stringify(hash.replace('more', 'less'))}`);
  await expect
    .poll(() => other.getByRole('textbox', { name: 'text' }).inputValue())
    .toBe(HARD.replace('more', 'less'));
});

it('leads to resources, templates and prompts by their addresses', async () => {
  const served = await serveEcho();
  const resource = await tabs.open(`${served}&resource=${encodeURIComponent('pantry://cr%C3%A8me')}`);
  await lane(resource).getByText('thick and sweet').waitFor();
  const template = await tabs.open(
    `${served}&template=${encodeURIComponent('shelf://{number}')}&args=${encodeURIComponent('{"number":"7"}')}`,
  );
  await template.getByRole('button', { name: 'Read' }).click();
  await lane(template).getByText('shelf 7 is empty').waitFor();
  const prompt = await tabs.open(`${served}&prompt=welcome&args={"guest":"Ada"}`);
  await prompt.getByRole('button', { name: 'Get' }).click();
  await lane(prompt).getByText('Welcome, Ada').waitFor();
  const nothing = await tabs.open(`${served}&tool=nothing`);
  await nothing.getByText('On this revision the server has no tool “nothing”').waitFor();
});

async function serveEcho(): Promise<string> {
  const http = await listen(createEcho(), { port: 0, keys: freshKeys() });
  const served = await openPage(http.url);
  onTestFinished(async () => {
    await served.close();
    await http.close(0);
  });
  return served.address;
}

async function openEcho(): Promise<Page> {
  return tabs.open(await serveEcho(), CLIPBOARD);
}

function createEcho(): Server {
  const server = new Server({ name: 'echo', version: '1.0.0' });
  const region = z.string().optional().meta({ 'x-mcp-header': 'Region' });
  server.tool('repeat', { input: z.object({ text: z.string(), region }) }, ({ text, region }) => {
    return `${text} from ${region}`;
  });
  server.resource('pantry://cr%C3%A8me', { name: 'crème', mimeType: 'text/plain' }, () => 'thick and sweet');
  server.resource('shelf://{number}', { name: 'shelf' }, ({ number }) => `shelf ${number} is empty`);
  server.prompt('welcome', { input: z.object({ guest: z.string() }) }, ({ guest }) => `Welcome, ${guest}`);
  return server;
}

const STDIO_SERVER = `import { Server } from 'tenon';
import { serveStdio } from 'tenon/stdio';

const server = new Server({ name: 'greeter', version: '1.0.0' });
server.tool('greet', {}, () => 'Hello');
serveStdio(server);
`;

/** Copies by the menu in a part of the page, and reads the clipboard. */
async function copy(page: Page, within: Page | Locator, label: string): Promise<string> {
  const menu = within.getByRole('group').filter({ hasText: 'Copy as' });
  if (!(await menu.getByRole('button', { name: label }).isVisible())) await menu.getByText('Copy as').click();
  await page.evaluate("navigator.clipboard.writeText('')");
  await menu.getByRole('button', { name: label }).click();
  const read = () => page.evaluate('navigator.clipboard.readText()') as Promise<string>;
  await expect.poll(read).not.toBe('');
  return read();
}

/** A shell that knows `tenon`, in a project that has the package. */
async function createShell() {
  const folder = await projectWith({});
  const programs = join(folder, 'programs');
  await mkdir(programs);
  await writeFile(join(programs, 'tenon'), `#!/bin/sh\nexec '${process.execPath}' '${TENON}' "$@"\n`);
  await chmod(join(programs, 'tenon'), 0o755);
  const env = { ...cleanEnv(), PATH: `${programs}${delimiter}${process.env.PATH}` };
  const options = { cwd: folder, env };
  return {
    run: async (snippet: string) => (await run('sh', ['-euc', snippet], options)).stdout,
    async runTypeScript(snippet: string) {
      await writeFile(join(folder, 'snippet.ts'), snippet);
      const args = ['--import', import.meta.resolve('tsx'), 'snippet.ts'];
      return (await run(process.execPath, args, options)).stdout;
    },
  };
}
