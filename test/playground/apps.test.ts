import type { FrameLocator, Page } from 'playwright-core';
import { Server } from 'tenon';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { addPage, createAppServer } from './app-server.js';
import { findBarriers, useBrowser } from './browser.js';
import { lane, timeline } from './locate.js';
import { openPage } from './open-page.js';
import { takePicture } from './pictures.js';

const tabs = useBrowser();
let address: string;

beforeAll(async () => {
  const served = await openPage(await createAppServer());
  address = served.address;
  return () => served.close();
});

describe('the page shows an app', () => {
  // covers: apps/host-reads-the-page, apps/sandbox-is-ready, apps/host-sends-input, apps/host-sends-result
  // covers: apps/sandbox-passes-messages
  it('on the class App of ext-apps, with the arguments, the result, and calls that the user allows', async () => {
    const page = await showGuests();
    const app = appIn(page);
    expect(await app.getByRole('heading').textContent()).toBe('Guests on Friday');
    await takePicture(page, 'app');

    await invite(app, 'Sofja');
    await page.getByRole('heading', { name: 'The app wants to call Invite a guest' }).waitFor();
    expect(await page.getByRole('region', { name: 'The app wants' }).textContent()).toContain('"Sofja"');
    const allow = page.getByRole('button', { name: 'Allow', exact: true });
    await expect.poll(() => allow.isEnabled()).toBe(true);
    await takePicture(page, 'app-call');
    await allow.click();
    await app.getByText('4 guests').waitFor();
    const shown = timeline(page, '2026-07-28');
    await shown.getByRole('heading', { name: 'For the app' }).waitFor();
    expect(await shown.locator('.message-title').allTextContents()).toEqual([
      ...['tools/call', 'result'],
      ...['resources/read', 'result', 'tools/call', 'result'],
    ]);

    await invite(app, 'Mallory');
    await page.getByRole('button', { name: 'Refuse' }).click();
    await app.getByText('the user refused the call of "invite"').waitFor();
    expect(await app.getByText('4 guests').count()).toBe(1);

    await invite(app, 'Lise');
    await page.getByRole('button', { name: 'Always allow this tool' }).click();
    await app.getByText('5 guests').waitFor();
    await invite(app, 'Vera');
    await app.getByText('6 guests').waitFor();
  });

  // covers: apps/host-follows-the-size
  it('of ours, which speaks the protocol by hand and is named in the spelling of the drafts', async () => {
    const page = await tabs.open(`${address}&tool=show_takings&revision=2025-06-18`);
    await page.getByRole('button', { name: 'Run' }).click();
    const app = appIn(page);
    await app.getByRole('button', { name: 'Fri' }).click();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await app.getByText('Fri: mostly quiche').waitFor();
    expect(await page.evaluate("document.querySelector('.app-frame').style.height")).toMatch(/^2\d\dpx$/);
  });

  // covers: apps/host-opens-links
  it('whose links are opened, and messages sent, only on yes', async () => {
    const page = await showGuests();
    const app = appIn(page);
    const opened: string[] = [];
    page.context().on('page', other => opened.push(other.url()));
    await app.getByRole('button', { name: 'Show the way' }).click();
    const link = page.getByRole('link', { name: 'Open the page' });
    await link.waitFor();
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await link.getAttribute('href')).toBe('https://bistro.example/map');
    await page.getByRole('button', { name: 'Refuse' }).click();
    await app.getByRole('button', { name: 'Ask for the window' }).click();
    await page.getByRole('heading', { name: 'The app wants to say this in your name' }).waitFor();
    await page.getByText('Seat them by the window.').waitFor();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByText('From the app').click();
    await page.getByText('In your name: [{"type":"text","text":"Seat them by the window."}]').waitFor();
    expect(opened).toEqual([]);
  });

  // covers: apps/host-tears-down, apps/host-waits-for-the-end
  it('in the theme of the page, without barriers, also on a phone, and lets it finish before it closes it', async () => {
    const page = await showGuests();
    const app = appIn(page);
    await invite(app, 'Sofja');
    await expect.poll(() => page.getByRole('button', { name: 'Allow', exact: true }).isEnabled()).toBe(true);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('radio', { name: 'dark' }).check();
    await app.locator('html[data-theme="dark"]').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await painted(app);
    await takePicture(page, 'app-dark');
    await page.setViewportSize({ width: 360, height: 780 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await page.evaluate("document.querySelector('.app').scrollIntoView()");
    await painted(app);
    await takePicture(page, 'app-phone');
    await page.getByRole('button', { name: 'Close the app' }).click();
    await page.getByText('You closed the app.').waitFor();
    await page.getByText('From the app').click();
    await page.getByText('info: goodbye').waitFor();
    await page.getByRole('region', { name: 'The app wants' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show it again' }).click();
    await app.getByText('guests', { exact: false }).first().waitFor();
  });

  it('in a frame that is as high as the app, so that nothing scrolls in it', async () => {
    const app = appIn(await showGuests());
    await painted(app);
    expect(await app.locator('html').evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  });

  // covers: apps/host-sends-cancelled, apps/host-waits-for-the-app
  it('while the call still runs, and tells it when the call is cancelled', async () => {
    const page = await showGuests('Never');
    const app = appIn(page);
    await app.getByRole('heading', { name: 'Guests on Never' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await app.getByText('cancelled: you cancelled the call').waitFor();
  });
});

it('the page shows an app anew when its server says that it changed', async () => {
  let text = 'The first page';
  const server = new Server({ name: 'kitchen', version: '1.0.0' });
  addPage(server, 'ui://kitchen/page', () => `<p>${text}</p>`);
  server.tool('cook', { meta: { ui: { resourceUri: 'ui://kitchen/page' } } }, () => 'cooked');
  const served = await openPage(server);
  onTestFinished(() => served.close());
  const page = await tabs.open(`${served.address}&tool=cook`);
  await page.getByRole('button', { name: 'Run' }).click();
  await appIn(page).getByText('The first page').waitFor();
  text = 'The second page';
  // The page may not listen yet when it shows the app.
  const change = () => {
    server.resourceChanged('ui://kitchen/page');
    const shown = appIn(page).getByText('The second page').waitFor({ timeout: 5000 });
    return shown.then(
      () => true,
      () => false,
    );
  };
  await expect.poll(change).toBe(true);
});

async function showGuests(evening = 'Friday'): Promise<Page> {
  const args = JSON.stringify({ evening });
  const page = await tabs.open(`${address}&tool=show_guests&args=${encodeURIComponent(args)}`);
  await page.getByRole('button', { name: 'Run' }).click();
  await appIn(page).getByRole('heading', { name: evening }).waitFor();
  if (evening !== 'Never')
    await appIn(page)
      .getByText(/\d guests/)
      .waitFor();
  return page;
}

/** Waits until nothing of the app is hidden any more, and it has been painted since. */
async function painted(app: FrameLocator): Promise<void> {
  const root = app.locator('html');
  await expect.poll(() => root.evaluate('document.documentElement.scrollHeight - innerHeight')).toBe(0);
  await root.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

async function invite(app: FrameLocator, name: string): Promise<void> {
  await app.getByRole('textbox', { name: 'Name' }).fill(name);
  await app.getByRole('button', { name: 'Invite' }).click();
}

function appIn(page: Page): FrameLocator {
  return lane(page).frameLocator('iframe').frameLocator('iframe');
}
