import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { start } from '../cli/running.js';
import { useBrowser } from './browser.js';
import { lane, link, timeline, titles } from './locate.js';
import { takePicture } from './pictures.js';

const tabs = useBrowser();

it('the page of `npm start` lists tools, calls one that asks, shows a picture, and compares two revisions', async () => {
  const page = await tabs.open(await startDemo());
  await link(page, 'Book a party').waitFor();
  expect(await page.getByRole('heading', { name: 'Tools' }).textContent()).toContain('11');
  await takePicture(page, 'list');

  await link(page, 'Reserve a table').click();
  await page.getByRole('textbox', { name: 'table', exact: true }).fill('window');
  await page.getByRole('spinbutton', { name: 'guests' }).fill('2');
  await page.getByRole('textbox', { name: 'name' }).fill('Ada');
  await takePicture(page, 'form');
  await page.getByRole('button', { name: 'Run' }).click();
  await lane(page).getByText('party of 2').waitFor();

  await link(page, 'Show a dish').click();
  await page.getByRole('textbox', { name: 'dish' }).fill('quiche');
  await page.keyboard.press('Control+Enter');
  await lane(page).getByRole('img').waitFor();
  await takePicture(page, 'picture');

  await link(page, 'Book a party').click();
  await page.getByRole('textbox', { name: 'occasion' }).fill('birthday');
  await page.getByRole('button', { name: 'Run' }).click();
  await lane(page).getByRole('spinbutton', { name: 'guests' }).fill('4');
  await takePicture(page, 'question');
  await lane(page).getByRole('button', { name: 'Send the answer' }).click();
  await lane(page).getByText('Booked the birthday: 4 guests').waitFor();

  await page.getByLabel('Compare with').selectOption('2025-06-18');
  await page.getByRole('button', { name: 'Run' }).click();
  const lanes = [lane(page, 0), lane(page, 1)];
  for (const one of lanes) await one.getByRole('heading', { name: 'The server asks' }).waitFor();
  for (const one of lanes) await one.getByRole('spinbutton', { name: 'guests' }).fill('4');
  for (const one of lanes) await one.getByRole('button', { name: 'Send the answer' }).click();
  for (const one of lanes) await one.getByText('Booked the birthday: 4 guests').waitFor();

  expect(await titles(page, '2026-07-28')).toEqual(['tools/call', 'input_required', 'tools/call', 'result']);
  expect(await titles(page, '2025-06-18')).toEqual(['tools/call', 'elicitation/create', 'result', 'result']);
  const modern = timeline(page, '2026-07-28');
  const lastOffset = await modern.locator('.offset').last().textContent();
  await modern.getByText(`4 messages · 2 rounds · ${lastOffset}`).waitFor();
  const rounds = modern.getByRole('heading');
  expect(await rounds.allTextContents()).toEqual(['Round 1', 'Round 2']);
  // High enough for the name of the tool and the end of both timelines.
  await page.setViewportSize({ width: 1440, height: 1100 });
  await page.evaluate("document.querySelector('main').scrollTo(0, 0)");
  await takePicture(page, 'timelines');
  await page.getByRole('radio', { name: 'dark' }).check();
  await takePicture(page, 'dark');

  await page.getByRole('radio', { name: 'light' }).check();
  await page.setViewportSize({ width: 390, height: 844 });
  await link(page, 'Show a dish').waitFor({ state: 'hidden' });
  await page.evaluate("document.querySelector('.lanes').scrollIntoView()");
  await takePicture(page, 'phone');
  await page.setViewportSize({ width: 1440, height: 900 });

  // The same handler, spoken to on another revision.
  await page.getByLabel('Compare with').selectOption('nothing');
  await page.getByRole('combobox', { name: 'Revision' }).selectOption('2025-11-25');
  await page.getByText('Connected, 2025-11-25').waitFor();
  await link(page, 'Cook a dish').click();
  await page.getByRole('textbox', { name: 'dish' }).fill('quiche');
  await page.getByRole('button', { name: 'Run' }).click();
  await lane(page).getByText('Bon appétit').waitFor();
  expect(await titles(page, '2025-11-25')).toContain('notifications/progress');
});

it('`npm start` says that it builds before it does, and leaves standard output to programs', async () => {
  const { build } = await readScripts();
  const [first = '', second] = build.split(' && ');
  expect(second).toBe('rm -rf dist');
  expect(await promisify(execFile)('sh', ['-c', first])).toEqual({
    stdout: '',
    stderr: 'building dist/, which may take a minute …\n',
  });
});

/** Runs what `npm start` runs after its build. Resolves with the address of the page. */
async function startDemo(): Promise<string> {
  const [build, command = ''] = (await readScripts()).start.split(' && ');
  expect(build).toContain('npm run --silent build');
  const [node, program = '', ...args] = command.split(' ');
  expect(node).toBe('node');
  const demo = start([...args, '--port', '0', '--no-open', '--json'], { program });
  return demo.line(({ page }) => page as string | undefined);
}

async function readScripts(): Promise<{ build: string; start: string }> {
  return JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')).scripts;
}
