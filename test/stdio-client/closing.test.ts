import { describe, expect, test } from 'vitest';
import { marked, processesWith } from './marked.js';
import { fixture, Opened, shell } from './opened.js';

const MILD = {};
const STUBBORN = { isStubborn: true };
const DETACHED = { isDetached: true };
const STUBBORN_DETACHED = { isStubborn: true, isDetached: true };

describe('close', () => {
  // covers: 2025-06-18/lifecycle/stdio-shutdown-closes-the-input
  // covers: 2025-06-18/lifecycle/stdio-shutdown-waits-then-terminates
  // covers: 2026-07-28/stdio/client-ends-the-process
  test('ends the input and waits for the server to exit', async () => {
    const { command, mark } = marked(shell(`cat; echo '{"last":"words"}'`));
    const opened = await Opened.start(command);
    await opened.transport.close();
    expect(opened.closings).toEqual([undefined]);
    expect(opened.messages).toEqual([{ last: 'words' }]);
    expect(processesWith(mark)).toEqual([]);
  });

  // covers: 2025-06-18/lifecycle/stdio-shutdown-waits-then-terminates
  // covers: 2026-07-28/stdio/client-ends-the-process
  test('sends SIGTERM to a server that stays', async () => {
    const { command, mark } = marked(
      shell(
        `trap 'echo "{\\"got\\":\\"SIGTERM\\"}"; exit' TERM; echo '{"ready":true}'; sleep 1000 & wait; wait`,
      ),
    );
    const opened = await Opened.start({ ...command, graceMs: 1000 });
    await opened.message();
    await opened.transport.close();
    expect(opened.messages).toEqual([{ ready: true }, { got: 'SIGTERM' }]);
    expect(opened.closings).toEqual([undefined]);
    expect(processesWith(mark)).toEqual([]);
  });

  // covers: 2025-06-18/lifecycle/stdio-shutdown-kills-at-last
  // covers: 2026-07-28/stdio/client-ends-the-process
  test('kills a server that ignores both', async () => {
    const { command, mark } = marked(fixture('stubborn.mjs'));
    const opened = await Opened.start({ ...command, graceMs: 1500 });
    await opened.message();
    await opened.transport.close();
    expect(opened.messages).toEqual([{ ready: true }, { got: 'EOF' }, { got: 'SIGTERM' }]);
    expect(opened.closings).toEqual([undefined]);
    expect(processesWith(mark)).toEqual([]);
  });

  test('kills a server that is stopped', async () => {
    const { command, mark } = marked(shell(`echo '{"ready":true}'; kill -STOP $$`));
    const opened = await Opened.start({ ...command, graceMs: 50 });
    await opened.message();
    await opened.transport.close();
    expect(processesWith(mark)).toEqual([]);
  });

  test('kills a server that does not read, with a message on the way', async () => {
    const { command, mark } = marked(fixture('late-reader.mjs'));
    const opened = await Opened.start({ ...command, graceMs: 50 });
    await opened.message();
    const sent = opened.transport.send('x'.repeat(4_000_000));
    const closing = opened.transport.close();
    await expect(sent).rejects.toThrow('cannot send to the server');
    await closing;
    expect(processesWith(mark)).toEqual([]);
  });

  test.for([
    ['in its group', [MILD, MILD]],
    ['that ignore SIGTERM', [STUBBORN, MILD, STUBBORN]],
    ['in sessions of their own', [DETACHED, MILD]],
    ['in sessions of their own that ignore SIGTERM', [STUBBORN_DETACHED, STUBBORN, DETACHED, MILD]],
  ] as const)('ends processes of the server %s', async ([, children]) => {
    const { command, mark } = marked(fixture('family.mjs', JSON.stringify({ children })));
    const opened = await Opened.start({ ...command, graceMs: 200 });
    const { pids } = await opened.message();
    expect(processesWith(mark)).toEqual(expect.arrayContaining(pids));
    await opened.transport.close();
    expect(processesWith(mark)).toEqual([]);
  });

  test('ends the whole of a deep tree, of which somebody in the middle is gone', async () => {
    const deep = 'setsid sh -c "sleep 1000 & setsid sleep 1000 & sh -c \'sleep 1000 & exit\'; sleep 1000"';
    const { command, mark } = marked(shell(`${deep} & echo '{"ready":true}'; cat`));
    const opened = await Opened.start({ ...command, graceMs: 200 });
    await opened.message();
    await expect.poll(() => processesWith(mark).length).toBeGreaterThanOrEqual(6);
    await opened.transport.close();
    expect(processesWith(mark)).toEqual([]);
  });

  test('ends a server that goes on starting others, all deaf to SIGTERM', async () => {
    const { command, mark } = marked(
      shell(`trap '' TERM; echo '{"ready":true}'; while :; do setsid sh -c 'sleep 2' & sleep 0.002; done`),
    );
    const opened = await Opened.start({ ...command, graceMs: 200 });
    await opened.message();
    await opened.transport.close();
    expect(processesWith(mark)).toEqual([]);
  });

  test('may have no end of patience', async () => {
    const opened = await Opened.start({
      ...shell(`cat; sleep 0.1; echo '{"last":"words"}'`),
      graceMs: Infinity,
    });
    await opened.transport.close();
    expect(opened.messages).toEqual([{ last: 'words' }]);
  });

  test('can be called twice, and before or while it is started', async () => {
    const { command, mark } = marked(shell('cat'));
    const twice = await Opened.start(command);
    await Promise.all([twice.transport.close(), twice.transport.close()]);
    await twice.transport.close();
    expect(twice.closings).toEqual([undefined]);

    await new Opened(command).transport.close();

    const early = new Opened(command);
    const starting = early.start();
    await early.transport.close();
    await starting;
    expect(early.closings).toEqual([undefined]);
    expect(processesWith(mark)).toEqual([]);
  });

  test('leaves no listener behind, and needs one for all', async () => {
    const listeners = () => process.listenerCount('exit');
    const before = listeners();
    const opened = await Promise.all(Array.from({ length: 12 }, () => Opened.start(shell('cat'))));
    expect(listeners()).toBe(before + 1);
    await Promise.all(opened.map(({ transport }) => transport.close()));
    expect(listeners()).toBe(before);
    const crashed = await Opened.start(shell('exit 1'));
    await crashed.reason();
    await expect.poll(listeners).toBe(before);
  });
});
