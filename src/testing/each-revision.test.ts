import { expect, it } from 'vitest';
import { Server, UsageError } from '../server/index.js';
import { eachRevision, type TestClient } from './index.js';

const ALL = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** A runner that keeps tests instead of running them. */
function collect() {
  const tests = new Map<string, () => Promise<void>>();
  return { tests, test: (name: string, run: () => Promise<void>) => void tests.set(name, run) };
}

it('registers a test for each revision, named after it, that has no parameters', () => {
  const { tests, test } = collect();
  eachRevision(test, 'cooks', () => {});
  expect([...tests.keys()]).toEqual(ALL.map(revision => `cooks (${revision})`));
  expect([...tests.values()].map(({ length }) => length)).toEqual(ALL.map(() => 0));
});

it('leaves out the revisions before one', () => {
  const { tests, test } = collect();
  eachRevision(test, 'asks', { since: '2025-06-18' }, () => {});
  expect([...tests.keys()]).toEqual(['asks (2026-07-28)', 'asks (2025-11-25)', 'asks (2025-06-18)']);
});

it('refuses a first revision that is none', () => {
  const register = () =>
    eachRevision(
      () => {},
      'asks',
      { since: 'yesterday' },
      () => {},
    );
  expect(register).toThrow(UsageError);
  expect(register).toThrow(`there is no revision yesterday; known are ${ALL.join(', ')}`);
});

it('runs each on its revision, and closes the clients of those that fail, too', async () => {
  const { tests, test } = collect();
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  const clients: TestClient[] = [];
  eachRevision(test, 'fails', async (connect, revision) => {
    clients.push(await connect(server), await connect(server));
    expect(clients.at(-1)?.revision).toBe(revision);
    throw new Error(`failed on ${revision}`);
  });
  for (const [name, run] of tests) await expect(run()).rejects.toThrow(`failed on ${name.slice(7, -1)}`);
  expect(clients).toHaveLength(10);
  for (const client of clients) await expect(client.ping()).rejects.toThrow('the client was closed');
});
