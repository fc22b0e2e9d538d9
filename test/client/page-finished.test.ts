import { expect, it } from 'vitest';
import { connect } from '../../src/client/index.js';
import { Server } from '../../src/server/index.js';
import { serve } from '../http/serve.js';

it('a host hears that the user has finished on a page it was sent to', async () => {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('sign_in', {}, async (_, ctx) => {
    const { action } = await ctx.elicitUrl('Sign in', 'https://bistro.example/in', {
      elicitationId: 'page-1',
    });
    return action;
  });
  const { url } = await serve(server);
  let hear = (_heard: object): void => {};
  const heard = new Promise<object>(resolve => {
    hear = resolve;
  });
  const client = await connect(url, {
    revision: '2025-11-25',
    onElicitUrl: () => ({ action: 'accept' }),
    onNotification: (method, params) => hear({ method, params }),
  });
  await client.callTool('sign_in', {});
  server.elicitationCompleted('page-1');
  expect(await heard).toEqual({
    method: 'notifications/elicitation/complete',
    params: { elicitationId: 'page-1' },
  });
  await client.close();
});
