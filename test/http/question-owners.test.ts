import { expect, test } from 'vitest';
import { LegacyClient } from './legacy-client.js';
import { serve, serverWith } from './serve.js';

const REVISION = '2025-11-25';

// covers: 2025-11-25/elicitation/requests-are-bound-to-the-user
// covers: 2025-11-25/elicitation/state-belongs-to-a-user
// covers: 2025-11-25/elicitation/state-is-not-bound-to-sessions-alone
// covers: 2025-11-25/elicitation/state-is-protected
// covers: 2025-11-25/elicitation/users-are-not-taken-at-their-word
test('a question of 2025-11-25 is answered only by the user who was asked, whatever others know and say', async () => {
  const server = serverWith(server => {
    const form = { type: 'object', properties: { guests: { type: 'integer' } } } as const;
    server.tool('reserve', {}, async (_args, ctx) => {
      const answer = await ctx.elicit('How many guests?', form);
      return `${ctx.caller?.principal}: ${JSON.stringify(answer)}`;
    });
  });
  const { url } = await serve(server, {
    authenticate: request => ({ principal: request.header('authorization') ?? 'nobody' }),
  });
  const capabilities = { elicitation: {} };
  const ada = await LegacyClient.open(url, {
    revision: REVISION,
    capabilities,
    headers: { authorization: 'ada' },
  });
  const eve = await LegacyClient.open(url, {
    revision: REVISION,
    capabilities,
    headers: { authorization: 'eve' },
  });
  const stream = await ada.stream('reserve');
  const { id } = await stream.message();
  const forged = { action: 'accept', content: { guests: 99, user: 'ada' } };
  // Eve in her own session, in that of Ada, and without saying who she is.
  await eve.answer(id!, forged);
  for (const headers of [{ authorization: 'eve' }, {}]) {
    const thief = new LegacyClient(url, ada, headers);
    expect((await thief.answer(id!, forged)).status).toBe(404);
    expect((await thief.get()).status).toBe(404);
  }
  await ada.answer(id!, { action: 'accept', content: { guests: 2 } });
  expect((await stream.message()).result.content[0].text).toBe(
    'ada: {"action":"accept","content":{"guests":2}}',
  );
});
