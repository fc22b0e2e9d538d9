import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Client, ConnectOptions, ConnectStatus } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { createServer, KIND_NAMES } from './fixtures/server-kinds.mjs';

/** A program that sleeps until it is woken up. */
function lateProgram(kind: string) {
  let isDue = false;
  const pids: number[] = [];
  const wakeUp = () => {
    isDue = true;
    for (const pid of pids.splice(0)) process.kill(pid, 'SIGUSR1');
  };
  const command = {
    command: process.execPath,
    args: [fileURLToPath(new URL('./fixtures/late-server.mjs', import.meta.url)), kind],
    onStderr: (text: string) => {
      for (const [, pid] of text.matchAll(/\[pid (\d+)\]/g)) pids.push(Number(pid));
      if (isDue) wakeUp();
    },
  };
  return { command, wakeUp };
}

async function open(command: Parameters<typeof connect>[0], options: ConnectOptions): Promise<Client> {
  const client = await connect(command, { onWarning: () => {}, ...options });
  onTestFinished(() => client.close());
  return client;
}

describe('a program that wakes up only when the handshake was tried, too,', () => {
  test.for(KIND_NAMES)('%s is spoken to in its best revision', async kind => {
    const { command, wakeUp } = lateProgram(kind);
    const statuses: ConnectStatus[] = [];
    const client = await open(command, {
      probeTimeoutMs: 300,
      onStatus: status => {
        statuses.push(status);
        if (status.kind === 'falling-back') wakeUp();
      },
    });
    expect(client.revision).toBe(createServer(kind).best);
    expect(await client.tools()).toHaveLength(1);
    const kinds = statuses.map(status => status.kind);
    expect(kinds.slice(0, 2)).toEqual(['starting', 'probing']);
    expect(kinds).toContain('waiting');
    expect(statuses.at(-1)).toEqual({ kind: 'connected', revision: client.revision });
  });
});

/** Milliseconds, separated by commas: `npm run test:long` waits as long as programs take that are fetched first. */
const DELAYS = process.env.START_DELAYS?.split(',') ?? [];

describe.concurrent.for(DELAYS)('a program that starts to read after %s ms,', { timeout: 600_000 }, delay => {
  test.concurrent.for(KIND_NAMES)('%s is spoken to in its best revision', async (kind, { expect }) => {
    const statuses: ConnectStatus[] = [];
    const { command } = lateProgram(kind);
    const client = await connect(
      { ...command, args: [...command.args, delay] },
      { onStatus: status => statuses.push(status), onWarning: () => {} },
    );
    try {
      expect(client.revision).toBe(createServer(kind).best);
      expect(await client.tools()).toHaveLength(1);
      if (Number(delay) > 6000) expect(statuses.map(status => status.kind)).toContain('waiting');
    } finally {
      await client.close();
    }
  });
});
