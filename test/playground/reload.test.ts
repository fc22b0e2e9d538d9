import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectWith, start } from '../cli/running.js';
import { findBarriers, useBrowser } from './browser.js';
import { lane, link } from './locate.js';

const tabs = useBrowser();

it('says that the file was reloaded, and shows what it offers now', async () => {
  const { page, save } = await openDev();
  await link(page, 'greet').click();
  await save(server('Bonjour'));
  await page.getByRole('status').filter({ hasText: 'Reloaded at' }).waitFor();
  await page.getByRole('main').getByText('Says Bonjour', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Run' }).click();
  await lane(page).getByText('Bonjour Ada').waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  expect(await page.getByText('Reloaded at').count()).toBe(0);
});

it('shows why the file could not be reloaded, with the line of the source, until it can be', async () => {
  const { page, address, save } = await openDev();
  await link(page, 'greet').waitFor();
  await save(`${server('Bonjour')}throw new RangeError('out of wine');\n`);
  const notice = page.getByRole('alert').filter({ hasText: 'The file could not be reloaded' });
  await notice.waitFor();
  expect(await notice.textContent()).toContain('RangeError: out of wine');
  expect(await notice.textContent()).toMatch(/> \d \| throw new RangeError\('out of wine'\);/);
  expect(await findBarriers(page)).toEqual([]);

  const later = await tabs.open(address);
  await later.getByText('RangeError: out of wine').waitFor();

  await link(page, 'greet').click();
  await page.getByRole('button', { name: 'Run' }).click();
  await lane(page).getByText('Hello Ada').waitFor();

  await save(server('Salut'));
  await notice.waitFor({ state: 'detached' });
  await later.getByText('RangeError: out of wine').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Run' }).click();
  await lane(page).getByText('Salut Ada').waitFor();
});

async function openDev() {
  const folder = await projectWith({ 'server.ts': server('Hello') });
  const dev = start(['dev', 'server.ts', '--port', '0', '--no-open', '--json'], { cwd: folder });
  const address = await dev.line(({ page }) => page as string | undefined);
  const save = (source: string) => writeFile(join(folder, 'server.ts'), source);
  return { address, save, page: await tabs.open(address) };
}

function server(word: string): string {
  return `import { Server } from 'tenon';

const server = new Server({ name: 'greeter', version: '1.0.0' });
server.tool('greet', { description: 'Says ${word}' }, () => '${word} Ada');
export default server;
`;
}
