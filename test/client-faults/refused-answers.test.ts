import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { ConnectionError } from '../../src/node/client/index.js';
import { listen } from '../../src/node/index.js';
import { Server } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';
import { connected, failure } from './connected.js';

/** Two nodes with the same keys and no cluster, so that each knows only its own questions. */
async function startNodes(): Promise<[string, string]> {
  const keys = freshKeys();
  const start = async () => {
    const server = new Server(
      { name: 'bistro', version: '1.0.0' },
      { onWarning: () => {}, onError: () => {} },
    );
    server.tool('reserve', {}, async (_, ctx) => (await ctx.elicit('Sure?', z.object({}))).action);
    server.tool('order', {}, () => 'soup');
    const { url, close } = await listen(server, { port: 0, keys });
    onTestFinished(() => close(0));
    return url;
  };
  return [await start(), await start()];
}

it('a call ends at once when the server does not accept the answer to its question', async () => {
  const [url, other] = await startNodes();
  const warnings: string[] = [];
  const client = await connected(url, {
    revision: '2025-11-25',
    onElicit: () => ({ action: 'accept' }),
    onWarning: text => void warnings.push(text),
    // Answers reach the wrong node.
    fetch: (input, init) => {
      const isAnswer = typeof init?.body === 'string' && 'result' in JSON.parse(init.body);
      return fetch(isAnswer ? other : input, init);
    },
  });
  const error = await failure(client.callTool('reserve'));
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error.message).toContain('an answer to elicitation/create could not be sent');
  expect(warnings).toEqual([error.message]);
  expect(await client.callTool('order')).toMatchObject({ content: [{ text: 'soup' }] });
});
