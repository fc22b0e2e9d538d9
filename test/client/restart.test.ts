import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { Client, Command } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';

const MORTAL: Command = {
  command: process.execPath,
  args: [fileURLToPath(new URL('./fixtures/late-server.mjs', import.meta.url)), 'of both eras', '0'],
};

/** A client of a program that has just ended by itself. */
async function bereaved(restart: boolean | undefined, revision: string): Promise<Client> {
  const client = await connect({ ...MORTAL, restart }, { revision, cache: false });
  onTestFinished(() => client.close());
  await expect(client.callTool('die')).rejects.toThrow('exited with code 3');
  expect(client.revision).toBe(revision);
  return client;
}

test.for([
  ['2026-07-28', undefined],
  ['2025-11-25', true],
] as const)('a program of %s that ended is started again if restart is %s', async ([revision, restart]) => {
  const client = await bereaved(restart, revision);
  expect(await client.tools()).toHaveLength(1);
});

test.for([
  ['2026-07-28', false],
  ['2025-11-25', undefined],
  ['2025-11-25', false],
] as const)(
  'a program of %s that ended is not started again if restart is %s',
  async ([revision, restart]) => {
    const client = await bereaved(restart, revision);
    await expect(client.tools()).rejects.toThrow('exited with code 3');
  },
);
