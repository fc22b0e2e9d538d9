import { expect, onTestFinished } from 'vitest';
import { type Client, connect } from '../../src/node/client/index.js';
import { type Answer, listenRaw, type RawServer } from './raw-server.js';

type Options = NonNullable<Parameters<typeof connect>[1]>;

/** A server that does what the test says, until the test is over. */
export async function serveRaw(answer: Answer): Promise<RawServer> {
  const server = await listenRaw(answer);
  onTestFinished(() => server.close());
  return server;
}

/** A client that is closed when the test is over. */
export async function connected(url: string, options: Options = {}): Promise<Client> {
  const client = await connect(url, { onWarning: () => {}, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** A server that does what the test says, and a client of it. */
export async function pair(
  answer: Answer,
  options?: Options,
): Promise<{ client: Client; server: RawServer }> {
  const server = await serveRaw(answer);
  return { server, client: await connected(server.url, options) };
}

/** What a promise rejects with. Fails if that takes longer than it may. */
export async function failure(promise: Promise<unknown>, limit = 20_000): Promise<any> {
  const begun = performance.now();
  const error = await promise.then(
    value => expect.fail(`it was to fail, but resolved with ${JSON.stringify(value)?.slice(0, 200)}`),
    thrown => thrown,
  );
  expect(performance.now() - begun).toBeLessThan(limit);
  return error;
}

/** Makes sure that nothing is broken for the calls that follow. */
export async function expectUsable(client: Client): Promise<void> {
  expect(await client.callTool('fine')).toMatchObject({ content: [{ text: 'fine' }] });
}
