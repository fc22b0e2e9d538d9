import type { Page } from 'playwright-core';
import { listen, type RunningHttpServer } from 'tenon/node';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createBistro } from '../../examples/bistro/server.js';
import type { ServedPage } from '../../src/playground/serve.js';
import { freshKeys } from '../keys.js';
import { findBarriers, useBrowser } from './browser.js';
import { lane, link, timeline } from './locate.js';
import { openPage } from './open-page.js';

const tabs = useBrowser();
let bistro: RunningHttpServer;
let served: ServedPage;
let page: Page;

beforeEach(async () => {
  bistro = await listen(createBistro(), { port: 0, keys: freshKeys() });
  served = await openPage(bistro.url);
  onTestFinished(async () => {
    await served.close();
    await bistro.close(0);
  });
});

describe('the page', () => {
  it('is used with the keyboard alone', async () => {
    page = await tabs.open(served.address);
    await link(page, 'Book a party').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('party');
    await link(page, 'Cook a dish').waitFor({ state: 'detached' });
    await tabTo(/link "Book a party/);
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'occasion' }).waitFor();
    // The focus has left the list, which may be long.
    expect(await page.locator(':focus').getAttribute('id')).toBe('main');
    await tabTo(/textbox "occasion/);
    await page.keyboard.type('jubilee');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'The server asks' }).waitFor();
    await tabTo(/spinbutton "guests/);
    await page.keyboard.type('6');
    await tabTo(/button "Send the answer/);
    await page.keyboard.press('Enter');
    await lane(page).getByText('Booked the jubilee: 6 guests').waitFor();
  });

  it.each(['light', 'dark'])('has no serious barrier in the %s theme, and none on a phone', async theme => {
    page = await tabs.open(served.address);
    await page.getByRole('radio', { name: theme }).check();
    await link(page, 'Book a party').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await link(page, 'Reserve a table').click();
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('button', { name: 'Send anyway' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await link(page, 'Book a party').click();
    await page.getByRole('textbox', { name: 'occasion' }).fill('feast');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'The server asks' }).waitFor();
    await page.getByRole('button', { name: /tools\/call/ }).click();
    expect(await findBarriers(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 780 });
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });

  it.each(['light', 'dark'])(
    'has no serious barrier in the results and lists of the %s theme',
    async theme => {
      page = await tabs.open(`${served.address}&tool=list_tables&compare=2025-06-18`);
      await page.getByRole('radio', { name: theme }).check();
      await page.getByRole('button', { name: 'Run' }).click();
      for (const at of [0, 1]) await lane(page, at).getByRole('table').waitFor();
      await timeline(page, '2025-06-18')
        .getByRole('button', { name: /result/ })
        .click();
      expect(await findBarriers(page)).toEqual([]);
      await link(page, 'Show the menu').click();
      await page.getByRole('combobox', { name: 'day' }).selectOption('friday');
      await page.getByRole('button', { name: 'Run' }).click();
      await lane(page, 1).getByRole('link', { name: 'Menu of saturday' }).waitFor();
      await page.getByRole('tab', { name: 'Activity' }).click();
      await page.getByText('Copy as').first().click();
      expect(await findBarriers(page)).toEqual([]);
      await link(page, 'Cook a dish').click();
      await page.getByRole('textbox', { name: 'dish' }).fill('pebbles');
      await page.getByRole('button', { name: 'Run' }).click();
      await lane(page, 1).getByText('The tool reports an error').waitFor();
      await page.getByRole('tab', { name: 'History' }).click();
      expect(await findBarriers(page)).toEqual([]);
    },
  );

  it('shows flaws beside their fields, and sends all the same if the user wants it', async () => {
    page = await tabs.open(`${served.address}&tool=reserve`);
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('guests is required').waitFor();
    await page.getByRole('button', { name: 'Send anyway' }).click();
    await lane(page).getByText('The tool reports an error').waitFor();
  });

  it('keeps the calls of the past, and makes one again with a click', async () => {
    page = await tabs.open(`${served.address}&tool=list_tables`);
    await page.getByRole('button', { name: 'Run' }).click();
    await lane(page).getByRole('table').waitFor();
    await page.reload();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('button', { name: 'Run list_tables again' }).click();
    await lane(page).getByRole('table').waitFor();
  });

  it('reads a resource again when it changes', async () => {
    page = await tabs.open(`${served.address}&resource=bistro://orders`);
    await lane(page).waitFor();
    await page.getByRole('checkbox', { name: 'Live' }).check();
    const other = await tabs.open(`${served.address}&tool=cook`);
    await other.getByRole('textbox', { name: 'dish' }).fill('quiche');
    await other.getByRole('button', { name: 'Run' }).click();
    await lane(page).getByRole('cell', { name: 'served' }).waitFor();
  });

  it('shows a question in every page that is open, and takes one answer', async () => {
    const other = await tabs.open(served.address);
    await other.getByRole('link', { name: 'Book a party' }).waitFor();
    page = await tabs.open(`${served.address}&tool=book_party`);
    await page.getByRole('textbox', { name: 'occasion' }).fill('wake');
    await page.keyboard.press('Control+Enter');
    await lane(page).getByRole('heading', { name: 'The server asks' }).waitFor();
    await other.getByRole('spinbutton', { name: 'guests' }).fill('3');
    await other.getByRole('button', { name: 'Send the answer' }).click();
    await lane(page).getByText('Booked the wake: 3 guests').waitFor();
    await other.getByRole('heading', { name: 'The server asks' }).waitFor({ state: 'detached' });
  });

  it('says why a server cannot be reached, and goes on when it can', async () => {
    const { port } = new URL(bistro.url);
    await bistro.close(0);
    page = await tabs.open(served.address);
    await page.getByText('The server cannot be reached').waitFor();
    await page.getByText('ECONNREFUSED').waitFor();
    bistro = await listen(createBistro(), { port: Number(port), keys: freshKeys() });
    await page.getByRole('button', { name: 'Try again' }).click();
    await link(page, 'Book a party').waitFor();
  });

  it('says what to do if it is opened without its secret', async () => {
    page = await tabs.open(new URL('/', served.address).href);
    await page.getByText('its secret is missing').waitFor();
    await page.getByText('Open the whole address that the terminal printed').waitFor();
    expect(await page.getByText('has ended or does not answer').count()).toBe(0);
  });
});

/** Presses Tab until the focus is on an element that the accessibility tree describes like this. */
async function tabTo(description: RegExp): Promise<void> {
  for (let step = 0; step < 60; step++) {
    await page.keyboard.press('Tab');
    const focused = page.locator(':focus');
    if ((await focused.count()) > 0 && description.test(await focused.ariaSnapshot())) return;
  }
  throw new Error(`Tab leads to nothing that is described as ${description}`);
}
