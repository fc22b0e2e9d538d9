import { describe, expect, it } from 'vitest';
import { pagesRequired, type Server } from '../../src/server/index.js';
import { LegacyClient } from '../http/legacy-client.js';
import { serve, serverWith } from '../http/serve.js';
import { connectAsking, EVERYTHING, serveAsking } from './asking.js';

const VISIT = 'the user has to visit a page, and then to try again: ';
const SIGN_IN = { message: 'Please sign in', url: 'https://example.com/sign-in' };
const CONSENT = { message: 'Please agree', url: 'https://example.com/agree', elicitationId: 'consent-1' };

describe('a handler that needs the user to visit pages first', () => {
  const needing = (isDone: () => boolean) => (server: Server) => {
    server.tool('sync', {}, () => {
      if (!isDone()) throw pagesRequired([SIGN_IN, CONSENT]);
      return 'synced';
    });
    server.prompt('p', {}, () => {
      throw pagesRequired([SIGN_IN]);
    });
    server.resource('r://x', {}, () => {
      throw pagesRequired([SIGN_IN]);
    });
  };

  it('asks for them at 2026-07-28, and goes on when they were visited', async () => {
    let isDone = false;
    const { request } = await serveAsking(() => 'unused', { add: needing(() => isDone) });
    const first = await request('tools/call', { name: 'sync' });
    expect(first.questions).toEqual({
      page0: { method: 'elicitation/create', params: { mode: 'url', ...SIGN_IN } },
      page1: {
        method: 'elicitation/create',
        params: { mode: 'url', message: CONSENT.message, url: CONSENT.url },
      },
    });
    const again = await first.respond({ page0: { action: 'accept' } });
    expect(again.questions).toEqual(first.questions);
    isDone = true;
    expect((await again.respond({ page0: { action: 'accept' } })).text).toBe('synced');
  });

  it('asks for them when its steps are done, which then do not run again', async () => {
    const runs: string[] = [];
    let isDone = false;
    const { request } = await serveAsking(() => 'unused', {
      add: server => {
        server.tool('sync', {}, async (_args, ctx) => {
          const visit = async () => {
            if (!isDone) throw pagesRequired([SIGN_IN]);
          };
          const read = ctx.step('read', async () => {
            await new Promise(resolve => setTimeout(resolve, 20));
            runs.push('read');
            return 'data';
          });
          await Promise.all([read, visit()]);
          return read;
        });
      },
    });
    const first = await request('tools/call', { name: 'sync' });
    expect(Object.keys(first.questions)).toEqual(['page0']);
    isDone = true;
    expect((await first.respond({ page0: { action: 'accept' } })).text).toBe('data');
    expect(runs).toEqual(['read']);
  });

  it('asks for them in prompts and resources, too', async () => {
    const { request } = await serveAsking(() => 'unused', { add: needing(() => false) });
    for (const round of [
      await request('prompts/get', { name: 'p' }),
      await request('resources/read', { uri: 'r://x' }),
    ]) {
      expect(round.messages).toEqual([SIGN_IN.message]);
    }
  });

  it('keeps steps and answers from before', async () => {
    let ran = 0;
    let isDone = false;
    const { call } = await serveAsking(async ctx => {
      const n = await ctx.step('count', () => ++ran);
      if (!isDone) throw pagesRequired([SIGN_IN]);
      return `step ${n}`;
    });
    const first = await call();
    isDone = true;
    expect((await first.respond({ page0: { action: 'accept' } })).text).toBe('step 1');
  });

  // covers: 2025-11-25/elicitation/required-error-has-urls-with-ids
  // covers: 2025-11-25/elicitation/required-error-is-standard
  // covers: 2025-11-25/elicitation/required-error-lists-elicitations
  it('answers 2025-11-25 with the error -32042', async () => {
    const { request } = await serveAsking(() => 'unused', {
      add: needing(() => false),
      revision: '2025-11-25',
    });
    const { error } = await request('tools/call', { name: 'sync' });
    expect(error).toEqual({
      code: -32042,
      message: `${VISIT}${SIGN_IN.message}: ${SIGN_IN.url}; ${CONSENT.message}: ${CONSENT.url}`,
      data: {
        elicitations: [
          { mode: 'url', elicitationId: expect.stringMatching(/^[\da-f-]{36}$/), ...SIGN_IN },
          { mode: 'url', ...CONSENT },
        ],
      },
    });
  });

  // covers: 2025-11-25/elicitation/only-supported-modes
  // covers: 2025-11-25/elicitation/required-error-only-for-urls
  it.each([{}, { elicitation: {} }, { elicitation: { form: {} } }])(
    'answers a client of 2025-11-25 that declares %j, so opens no pages, with a text',
    async capabilities => {
      const { request } = await serveAsking(() => 'unused', {
        add: needing(() => false),
        revision: '2025-11-25',
        capabilities,
      });
      expect((await request('tools/call', { name: 'sync' })).result).toEqual({
        isError: true,
        content: [
          {
            type: 'text',
            text: `${VISIT}${SIGN_IN.message}: ${SIGN_IN.url}; ${CONSENT.message}: ${CONSENT.url}`,
          },
        ],
      });
      for (const { error } of [
        await request('prompts/get', { name: 'p' }),
        await request('resources/read', { uri: 'r://x' }),
      ]) {
        expect(error).toEqual({
          code: -32603,
          message:
            `a page for the user (${VISIT}${SIGN_IN.message}: ${SIGN_IN.url}) needs the client capability ` +
            '"elicitation.url", which this client did not declare',
          data: { requiredCapabilities: { elicitation: { url: {} } } },
        });
      }
    },
  );

  it('answers older revisions with a text that the model can read', async () => {
    const { server } = await serveAsking(() => 'unused', { add: needing(() => false) });
    for (const revision of ['2025-06-18', '2025-03-26', '2024-11-05']) {
      const { request } = await connectAsking(server, { revision });
      expect((await request('tools/call', { name: 'sync' })).result).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: expect.stringContaining(SIGN_IN.url) }],
      });
      expect((await request('prompts/get', { name: 'p' })).error).toMatchObject({
        code: -32603,
        message: expect.stringContaining(SIGN_IN.url),
      });
    }
  });
});

describe('when what is done on a page is done', () => {
  const asking = () =>
    serverWith(server => {
      server.tool('sign_in', {}, async (_args, ctx) => {
        const { action } = await ctx.elicitUrl('Sign in', SIGN_IN.url, { elicitationId: 'page-1' });
        return action;
      });
      server.tool('sync', {}, () => {
        throw pagesRequired([CONSENT]);
      });
    });

  // covers: 2025-11-25/elicitation/completion-goes-to-its-client
  // covers: 2025-11-25/elicitation/completion-has-the-id
  it('the client that was sent there by a question is told, once, and no other', async () => {
    const server = asking();
    const { url } = await serve(server);
    const [client, stranger] = await Promise.all([
      LegacyClient.open(url, { revision: '2025-11-25', capabilities: EVERYTHING }),
      LegacyClient.open(url, { revision: '2025-11-25', capabilities: EVERYTHING }),
    ]);
    const [notices, others] = await Promise.all([client.notices(), stranger.notices()]);
    const stream = await client.stream('sign_in');
    const question = await stream.message();
    expect(question.params).toMatchObject({ mode: 'url', elicitationId: 'page-1' });
    await client.answer(question.id!, { action: 'accept' });
    expect((await stream.message()).result.content[0].text).toBe('accept');

    server.elicitationCompleted('page-1');
    server.elicitationCompleted('page-1');
    server.elicitationCompleted('page-2');
    server.tool('last', {}, () => 'last');
    expect([await notices.message(), await notices.message()]).toMatchObject([
      { method: 'notifications/elicitation/complete', params: { elicitationId: 'page-1' } },
      { method: 'notifications/tools/list_changed' },
    ]);
    expect(await others.message()).toMatchObject({ method: 'notifications/tools/list_changed' });
  });

  it('the client that was sent there by an error is told', async () => {
    const server = asking();
    const { url } = await serve(server);
    const client = await LegacyClient.open(url, { revision: '2025-11-25', capabilities: EVERYTHING });
    const notices = await client.notices();
    expect((await client.call('sync')).error?.code).toBe(-32042);
    server.elicitationCompleted('consent-1');
    expect(await notices.message()).toMatchObject({
      method: 'notifications/elicitation/complete',
      params: { elicitationId: 'consent-1' },
    });
  });

  it.each([
    ['of older revisions', { revision: '2025-06-18', capabilities: EVERYTHING }],
    ['that open no pages', { revision: '2025-11-25', capabilities: { elicitation: {} } }],
  ])('clients %s hear nothing', async (_, options) => {
    const server = asking();
    const { url } = await serve(server);
    const client = await LegacyClient.open(url, options);
    const notices = await client.notices();
    await client.call('sync');
    server.elicitationCompleted('consent-1');
    server.tool('last', {}, () => 'last');
    expect(await notices.message()).toMatchObject({ method: 'notifications/tools/list_changed' });
  });
});
