import { expect, it } from 'vitest';
import { Cancelled } from '../../src/client/index.js';
import { failure, pair } from '../client-faults/connected.js';
import { legacy } from '../client-faults/raw-server.js';

/** Aborts a running call, and returns its error and the reason that the server was told. */
async function abortWith(reason: unknown): Promise<{ error: unknown; told: string }> {
  let hear: (reason: string) => void = () => {};
  const told = new Promise<string>(resolve => {
    hear = resolve;
  });
  const controller = new AbortController();
  const { client } = await pair(
    legacy({
      'tools/call': () => controller.abort(reason),
      'notifications/cancelled': ask => {
        hear(ask.message.params.reason);
        ask.send(202);
      },
    }),
  );
  const error = await failure(client.callTool('cook', {}, { signal: controller.signal }));
  return { error, told: await told };
}

it('the server is told the text that the author aborted with', async () => {
  const { error, told } = await abortWith('the guest has left');
  expect(told).toBe('the guest has left');
  expect(error).toBeInstanceOf(Cancelled);
});

it('the server is not told the message of an error, which may not be meant for it', async () => {
  const reason = new Error('the guest at table 5 owes 20 euros');
  const { error, told } = await abortWith(reason);
  expect(told).toBe('the request is no longer needed');
  expect(error).toBe(reason);
});
