import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { Server } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { findBarriers, useBrowser } from './browser.js';
import { lane } from './locate.js';
import { openPage } from './open-page.js';

const tabs = useBrowser();

describe.each(['2026-07-28', '2025-11-25'])('on %s, a question', revision => {
  it('for a visit of a page is opened only by the click that agrees', async () => {
    const { address, visits } = await serveVisited();
    const page = await open(serverThatSendsTo(address), 'pay', revision);
    await page.getByRole('button', { name: 'Run' }).click();
    await lane(page).getByRole('heading', { name: 'The server asks you to visit a page' }).waitFor();
    await lane(page).getByText('Pay the bill on this page').waitFor();
    expect(await lane(page).locator('.address').textContent()).toBe(address);
    expect(await findBarriers(page)).toEqual([]);
    expect(visits).toEqual([]);

    const opened = page.waitForEvent('popup');
    await lane(page).getByRole('link', { name: 'Open the page' }).click();
    const popup = await opened;
    await popup.waitForLoadState();
    expect(popup.url()).toBe(address);
    // The page must not learn the address of this one, nor get hold of its window.
    expect(await popup.evaluate('[document.referrer, window.opener]')).toEqual(['', null]);
    await lane(page).getByText('the user said accept').waitFor();
    expect(visits).toEqual(['/pay?bill=7']);
  });

  it('for a visit of a page can be declined, and then the page is not opened', async () => {
    const { address, visits } = await serveVisited();
    const page = await open(serverThatSendsTo(address), 'pay', revision);
    await page.getByRole('button', { name: 'Run' }).click();
    await lane(page).getByRole('button', { name: 'Decline' }).click();
    await lane(page).getByText('the user said decline').waitFor();
    expect(visits).toEqual([]);
    expect(page.context().pages()).toEqual([page]);
  });

  it('for folders is answered with the paths that the user enters', async () => {
    const page = await open(createAsker(), 'folders', revision);
    await page.getByRole('button', { name: 'Run' }).click();
    await lane(page).getByRole('heading', { name: 'The server asks for your folders' }).waitFor();
    await lane(page)
      .getByRole('textbox', { name: 'Folders to share' })
      .fill('/home/ada/my recipes\nC:\\wine');
    expect(await findBarriers(page)).toEqual([]);
    await lane(page).getByRole('button', { name: 'Send the answer' }).click();
    await lane(page).getByText('file:///home/ada/my%20recipes file:///C:/wine').waitFor();
  });

  it('for a model is shown in full, and answered by the user', async () => {
    const page = await open(createAsker(), 'model', revision);
    await page.getByRole('button', { name: 'Run' }).click();
    await lane(page).getByRole('heading', { name: 'The server asks your model' }).waitFor();
    await lane(page).getByText('You are a sommelier').waitFor();
    await lane(page).getByText('Which wine?').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await lane(page).getByRole('textbox', { name: 'The model’s answer' }).fill('A Riesling.');
    await lane(page).getByRole('button', { name: 'Send the answer' }).click();
    await lane(page).getByText('the model said: A Riesling.').waitFor();
  });

  it.each(['folders', 'model'])('for %s can be refused', async tool => {
    const page = await open(createAsker(), tool, revision);
    await page.getByRole('button', { name: 'Run' }).click();
    await lane(page).getByRole('button', { name: 'Refuse' }).click();
    await lane(page).getByText('The user refused').waitFor();
  });

  it('is shown together with others of the same call', async () => {
    const page = await open(createAsker(), 'both', revision);
    await page.getByRole('button', { name: 'Run' }).click();
    await expect.poll(() => lane(page).getByRole('heading', { level: 3 }).count()).toBe(2);
    const [first, second] = await lane(page).getByRole('textbox').all();
    await first?.fill('red');
    await second?.fill('white');
    await lane(page).getByRole('button', { name: 'Send the answer' }).first().click();
    await expect.poll(() => lane(page).getByRole('heading', { level: 3 }).count()).toBe(1);
    await lane(page).getByRole('button', { name: 'Send the answer' }).click();
    await lane(page).getByText('red and white').waitFor();
  });
});

function createAsker(): Server {
  const server = new Server({ name: 'asker', version: '1.0.0' });
  server.tool('folders', {}, async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join(' '));
  server.tool('model', {}, async (_, ctx) => {
    const { content } = await ctx.sample({
      systemPrompt: 'You are a sommelier',
      messages: [{ role: 'user', content: { type: 'text', text: 'Which wine?' } }],
      maxTokens: 50,
    });
    return [content].flat().map(block => (block.type === 'text' ? `the model said: ${block.text}` : ''));
  });
  server.tool('both', {}, async (_, ctx) => {
    const form = z.object({ wine: z.string() });
    const answers = await Promise.all([
      ctx.elicit('With the fish?', form),
      ctx.elicit('With the cheese?', form),
    ]);
    return answers.map(answer => (answer.action === 'accept' ? answer.content.wine : '')).join(' and ');
  });
  return server;
}

function serverThatSendsTo(address: string): Server {
  const server = new Server({ name: 'payee', version: '1.0.0' });
  server.tool('pay', {}, async (_, ctx) => {
    const { action } = await ctx.elicitUrl('Pay the bill on this page', address);
    return `the user said ${action}`;
  });
  return server;
}

/** A page of the server, and the visits that it got. */
async function serveVisited(): Promise<{ address: string; visits: string[] }> {
  const visits: string[] = [];
  const http = createServer((request, response) => {
    if (request.url?.startsWith('/pay')) visits.push(request.url);
    response.end('Thank you');
  });
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { address: `http://127.0.0.1:${(http.address() as AddressInfo).port}/pay?bill=7`, visits };
}

async function open(server: Server, tool: string, revision: string): Promise<Page> {
  const served = await openPage(server);
  onTestFinished(() => served.close());
  return tabs.open(`${served.address}&tool=${tool}&revision=${revision}`);
}
