import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { listen, type RunningHttpServer } from 'tenon/node';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createBistro } from '../../examples/bistro/server.js';
import type { ServedPage } from '../../src/playground/serve.js';
import { freshKeys } from '../keys.js';
import { findBarriers, launch } from './browser.js';
import { openPage } from './open-page.js';

// UPDATE_PICTURES=1 writes the pictures that the README shows.
const PICTURES = process.env.UPDATE_PICTURES
  ? fileURLToPath(new URL('../../docs/pictures/', import.meta.url))
  : undefined;

let browser: Browser;
let bistro: RunningHttpServer;
let served: ServedPage;
let pictures: string;
let page: Page;

beforeAll(async () => {
  pictures = PICTURES ?? (await mkdtemp(join(tmpdir(), 'tenon-pictures-')));
  await mkdir(pictures, { recursive: true });
  browser = await launch();
}, 180_000);

beforeEach(async () => {
  bistro = await listen(createBistro(), { port: 0, keys: freshKeys() });
  served = await openPage(bistro.url);
  page = await newPage();
  onTestFinished(async () => {
    await page.context().close();
    await served.close();
    await bistro.close(0);
  });
});

afterAll(() => browser?.close());

describe('the page', { timeout: 120_000 }, () => {
  it('lists tools, calls one that asks, shows a picture, and compares the messages of two revisions', async () => {
    await page.goto(served.address);
    await link('Book a party').waitFor();
    expect(await page.getByRole('heading', { name: 'Tools' }).textContent()).toContain('11');
    await picture('list');

    await link('Reserve a table').click();
    await page.getByRole('textbox', { name: 'table', exact: true }).fill('window');
    await page.getByRole('spinbutton', { name: 'guests' }).fill('2');
    await page.getByRole('textbox', { name: 'name' }).fill('Ada');
    await picture('form');
    await page.getByRole('button', { name: 'Run' }).click();
    await lane(0).getByText('party of 2').waitFor();

    await link('Show a dish').click();
    await page.getByRole('textbox', { name: 'dish' }).fill('quiche');
    await page.keyboard.press('Control+Enter');
    await lane(0).getByRole('img').waitFor();
    await picture('picture');

    await link('Book a party').click();
    await page.getByRole('textbox', { name: 'occasion' }).fill('birthday');
    await page.getByRole('button', { name: 'Run' }).click();
    await lane(0).getByRole('spinbutton', { name: 'guests' }).fill('4');
    await picture('question');
    await lane(0).getByRole('button', { name: 'Send the answer' }).click();
    await lane(0).getByText('Booked the birthday: 4 guests').waitFor();

    await page.getByLabel('Compare with').selectOption('2025-06-18');
    await page.getByRole('button', { name: 'Run' }).click();
    await lane(0).getByRole('heading', { name: 'The server asks' }).waitFor();
    await lane(1).getByRole('heading', { name: 'The server asks' }).waitFor();
    for (const at of [0, 1]) await lane(at).getByRole('spinbutton', { name: 'guests' }).fill('4');
    for (const at of [0, 1]) await lane(at).getByRole('button', { name: 'Send the answer' }).click();
    for (const at of [0, 1]) await lane(at).getByText('Booked the birthday: 4 guests').waitFor();

    expect(await titles('2026-07-28')).toEqual(['tools/call', 'input_required', 'tools/call', 'result']);
    expect(await titles('2025-06-18')).toEqual(['tools/call', 'elicitation/create', 'result', 'result']);
    const newest = timeline('2026-07-28');
    expect(await newest.getByRole('heading').allTextContents()).toEqual(['Round 1', 'Round 2']);
    await picture('timelines');
    await page.getByRole('radio', { name: 'dark' }).check();
    await picture('dark');
  });

  it('is used with the keyboard alone', async () => {
    await page.goto(served.address);
    await link('Book a party').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('party');
    await link('Cook a dish').waitFor({ state: 'detached' });
    await tabTo(/link "Book a party/);
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'occasion' }).waitFor();
    await tabTo(/textbox "occasion/);
    await page.keyboard.type('jubilee');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'The server asks' }).waitFor();
    await tabTo(/spinbutton "guests/);
    await page.keyboard.type('6');
    await tabTo(/button "Send the answer/);
    await page.keyboard.press('Enter');
    await lane(0).getByText('Booked the jubilee: 6 guests').waitFor();
  });

  it.each(['light', 'dark'])('has no serious barrier in the %s theme, and none on a phone', async theme => {
    await page.goto(served.address);
    await page.getByRole('radio', { name: theme }).check();
    await link('Book a party').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await link('Reserve a table').click();
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('button', { name: 'Send anyway' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await link('Book a party').click();
    await page.getByRole('textbox', { name: 'occasion' }).fill('feast');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'The server asks' }).waitFor();
    await page.getByRole('button', { name: /tools\/call/ }).click();
    expect(await findBarriers(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 780 });
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    if (theme === 'light') await picture('phone');
  });

  it('shows flaws beside their fields, and sends all the same if the user wants it', async () => {
    await page.goto(`${served.address}&tool=reserve`);
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('guests is required').waitFor();
    await page.getByRole('button', { name: 'Send anyway' }).click();
    await lane(0).getByText('The tool reports an error').waitFor();
  });

  it('keeps the calls of the past, and makes one again with a click', async () => {
    await page.goto(`${served.address}&tool=list_tables`);
    await page.getByRole('button', { name: 'Run' }).click();
    await lane(0).getByRole('table').waitFor();
    await page.reload();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('button', { name: 'Run list_tables again' }).click();
    await lane(0).getByRole('table').waitFor();
  });

  it('reads a resource again when it changes', async () => {
    await page.goto(`${served.address}&resource=bistro://orders`);
    await lane(0).waitFor();
    await page.getByRole('checkbox', { name: 'Live' }).check();
    const other = await newPage();
    onTestFinished(() => other.context().close());
    await other.goto(`${served.address}&tool=cook`);
    await other.getByRole('textbox', { name: 'dish' }).fill('quiche');
    await other.getByRole('button', { name: 'Run' }).click();
    await lane(0).getByRole('cell', { name: 'served' }).waitFor();
  });

  it('shows a question in every page that is open, and takes one answer', async () => {
    const other = await newPage();
    onTestFinished(() => other.context().close());
    await other.goto(served.address);
    await other.getByRole('link', { name: 'Book a party' }).waitFor();
    await page.goto(`${served.address}&tool=book_party`);
    await page.getByRole('textbox', { name: 'occasion' }).fill('wake');
    await page.keyboard.press('Control+Enter');
    await lane(0).getByRole('heading', { name: 'The server asks' }).waitFor();
    await other.getByRole('spinbutton', { name: 'guests' }).fill('3');
    await other.getByRole('button', { name: 'Send the answer' }).click();
    await lane(0).getByText('Booked the wake: 3 guests').waitFor();
    await other.getByRole('heading', { name: 'The server asks' }).waitFor({ state: 'detached' });
  });

  it('says why a server cannot be reached, and goes on when it can', async () => {
    const { port } = new URL(bistro.url);
    await bistro.close(0);
    await page.goto(served.address);
    await page.getByText('The server cannot be reached').waitFor();
    await page.getByText('ECONNREFUSED').waitFor();
    bistro = await listen(createBistro(), { port: Number(port), keys: freshKeys() });
    await page.getByRole('button', { name: 'Try again' }).click();
    await link('Book a party').waitFor();
  });

  it('says what to do if it is opened without its secret', async () => {
    await page.goto(new URL('/', served.address).href);
    await page.getByText('its secret is missing').waitFor();
    await page.getByText('Open the whole address that the terminal printed').waitFor();
  });
});

async function newPage(): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  return context.newPage();
}

function link(name: string): Locator {
  return page.getByRole('navigation').getByRole('link', { name });
}

function lane(at: number): Locator {
  return page.getByRole('region', { name: 'Result on revision' }).nth(at);
}

function timeline(revision: string): Locator {
  return page.getByRole('region', { name: `Messages on revision ${revision}` });
}

function titles(revision: string): Promise<string[]> {
  return timeline(revision).locator('.message-title').allTextContents();
}

/** Presses Tab until the focus is on an element that the accessibility tree describes like this. */
async function tabTo(description: RegExp): Promise<void> {
  for (let step = 0; step < 60; step++) {
    await page.keyboard.press('Tab');
    const focused = page.locator(':focus');
    if ((await focused.count()) > 0 && description.test(await focused.ariaSnapshot())) return;
  }
  throw new Error(`Tab leads to nothing that is described as ${description}`);
}

async function picture(name: string): Promise<void> {
  await page.screenshot({ path: join(pictures, `${name}.png`), animations: 'disabled' });
}
