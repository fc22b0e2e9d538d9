import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { startIdentityProvider } from '../auth/client/identity-provider.js';
import { serveFiles } from '../auth/client/protected-files.js';
import { findBarriers, useBrowser } from './browser.js';
import { lane, link } from './locate.js';
import { openPage } from './open-page.js';

const tabs = useBrowser();

it('leads to the sign-in that the server wants, and goes on when the user has finished', async () => {
  const { page, provider } = await openProtected();
  await page.getByRole('heading', { name: 'The server wants you to sign in' }).waitFor();
  await page.getByText('Waiting for your sign-in').waitFor();
  await page.getByText(new URL(provider.issuer).host).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await signIn(page, 'ada');
  await page.getByText('Connected,').waitFor();
  await page.getByRole('heading', { name: 'The server wants you to sign in' }).waitFor({ state: 'detached' });
  await link(page, 'whoami').click();
  await page.getByRole('button', { name: 'Run' }).click();
  await lane(page).getByText('"ada"').first().waitFor();
});

it('asks again in the middle of a call that needs more than was granted', async () => {
  const { page } = await openProtected();
  await signIn(page, 'ada');
  await link(page, 'mail').click();
  await page.getByRole('button', { name: 'Run' }).click();
  await signIn(page, 'ada');
  await lane(page).getByText('did mail').waitFor();
});

it('shows the sign-in also in a page that is opened later', async () => {
  const { page, address } = await openProtected();
  await page.getByRole('heading', { name: 'The server wants you to sign in' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'The server wants you to sign in' }).waitFor();
  const other = await tabs.open(address);
  await signIn(other, 'ada');
  await page.getByText('Connected,').waitFor();
});

it('says so if the user does not agree, and lets them try again', async () => {
  const { page } = await openProtected();
  const popup = await openSignIn(page);
  await popup.getByRole('link', { name: 'Cancel' }).click();
  await page.getByText('The server cannot be reached in this revision').waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'Try again' }).click();
  await signIn(page, 'ada');
  await page.getByText('Connected,').waitFor();
});

it('does not keep the process from ending while a sign-in waits', async () => {
  const { page, served } = await openProtected();
  await page.getByRole('heading', { name: 'The server wants you to sign in' }).waitFor();
  await served.close();
  await page.getByText('The process behind this page has ended').waitFor();
});

async function openProtected() {
  const provider = await startIdentityProvider();
  const served = await openPage(await serveFiles(provider));
  onTestFinished(() => served.close());
  return { provider, served, address: served.address, page: await tabs.open(served.address) };
}

async function openSignIn(page: Page): Promise<Page> {
  const opened = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Open the sign-in' }).click();
  return opened;
}

/** Signs in on the pages of the provider, and agrees to everything. */
async function signIn(page: Page, name: string): Promise<void> {
  const popup = await openSignIn(page);
  const login = popup.getByPlaceholder('Enter any login');
  const agree = popup.getByRole('button', { name: 'Continue' });
  await login.or(agree).first().waitFor();
  if (await login.isVisible()) {
    await login.fill(name);
    await popup.getByPlaceholder('and password').fill('secret');
    await popup.getByRole('button', { name: 'Sign-in' }).click();
  }
  await agree.click();
  await popup.getByText('You can close').waitFor();
}
