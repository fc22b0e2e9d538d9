import { expect, test } from 'vitest';
import { protect } from '../../src/server/auth/index.js';
import { modern, textOf } from './messages.js';
import { exchange, RawConnection, requestBytes } from './raw-http.js';
import { echoing, serve } from './serving.js';
import { signalled } from './signalled.js';
import { failOnUnhandled } from './unhandled.js';

failOnUnhandled();

const CONNECTIONS = 20;
const PIPELINED = 100;
/** As docs/limits.md says. */
const AT_A_TIME = 8;

function call(token: string) {
  const request = modern('tools/call', { name: 'echo', arguments: { value: 1 } });
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}

/** A server that takes its time with bad tokens, until they are released. */
async function open() {
  const released = signalled<void>();
  const full = signalled<void>();
  const state = { running: 0, most: 0, verified: 0 };
  const auth = protect({
    authorizationServers: ['https://login.example.com'],
    verify: async token => {
      if (token === 'good') return { subject: 'ada' };
      state.verified++;
      state.most = Math.max(state.most, ++state.running);
      if (state.running === CONNECTIONS * AT_A_TIME) full.resolve();
      await released.promise;
      state.running--;
      return { subject: token };
    },
  });
  return { ...(await serve(echoing, { auth })), released, full, state };
}

test('clients that send many unknown tokens without waiting do not keep others from being verified', async () => {
  const { port, released, full, state } = await open();
  const greedy: RawConnection[] = [];
  for (let n = 0; n < CONNECTIONS; n++) {
    const connection = await RawConnection.open(port);
    const requests = Array.from({ length: PIPELINED }, (_, at) => requestBytes(call(`bad-${n}-${at}`)));
    connection.send(Buffer.concat(requests));
    greedy.push(connection);
  }
  await full.promise;
  expect(textOf(await exchange(port, call('good')))).toBe('1');
  expect(state.most).toBe(CONNECTIONS * AT_A_TIME);
  released.resolve();
  // All of them get their turn, in order.
  for (let at = 0; at < PIPELINED; at++) expect((await greedy[0]!.response()).status).toBe(200);
  expect(state.most).toBe(CONNECTIONS * AT_A_TIME);
  for (const connection of greedy) connection.destroy();
});

test('tokens of requests whose client has left are not verified', async () => {
  const { port, released, state } = await open();
  const connection = await RawConnection.open(port);
  connection.send(Buffer.concat(Array.from({ length: 50 }, (_, at) => requestBytes(call(`left-${at}`)))));
  while (state.running < AT_A_TIME) expect(textOf(await exchange(port, call('good')))).toBe('1');
  connection.destroy();
  await connection.closed;
  // The server notices the end before it reads what comes after it.
  expect(textOf(await exchange(port, call('good')))).toBe('1');
  released.resolve();
  expect(textOf(await exchange(port, call('good')))).toBe('1');
  expect(state.verified).toBe(AT_A_TIME);
});
