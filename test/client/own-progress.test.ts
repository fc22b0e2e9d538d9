import { expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.js';
import type { Client } from '../../src/client/index.js';
import { HANDSHAKES, ScriptedServer } from './scripted-server.js';

test.for(HANDSHAKES.slice(2))('progress that a client of %s tells always grows', async revision => {
  const server = new ScriptedServer({ revision, capabilities: { tools: {} } });
  const refused: number[] = [];
  const client: Client = await server.connect('on a pipe', {
    async onElicit() {
      for (const progress of [5, 4, 5, 6]) {
        await client.notify('notifications/progress', { progressToken: 'p', progress }).catch(error => {
          expect(error).toBeInstanceOf(UsageError);
          refused.push(progress);
        });
      }
      return { action: 'decline' };
    },
  });
  const params = {
    _meta: { progressToken: 'p' },
    message: '?',
    requestedSchema: { type: 'object', properties: {} },
  };
  await server.ask({ method: 'elicitation/create', params });
  const told = server.messages.filter(({ method }) => method === 'notifications/progress');
  expect(told.map(({ params }) => params.progress)).toEqual([5, 6]);
  expect(refused).toEqual([4, 5]);
});
