import { describe, expect, test } from 'vitest';
import { runClient } from './client.js';
import { expectNoneWith, marked } from './marked.js';
import { fixture, shell } from './opened.js';

describe('a client', () => {
  test.for(['exit', 'throw'] as const)('that ends with %s takes its servers along', async then => {
    const children = [{}, { isStubborn: true }, { isDetached: true, isStubborn: true }];
    const { command, mark } = marked(fixture('family.mjs', JSON.stringify({ children })));
    const report = await runClient(command, then);
    expect(JSON.parse(report.message).pids).toHaveLength(3);
    expect(report.code).toBe(then === 'exit' ? 0 : 1);
    await expectNoneWith(mark);
  });

  test('that exits before a server has started takes it along', async () => {
    const { command, mark } = marked(shell(`trap '' TERM; while :; do sleep 1000; done`));
    expect((await runClient(command, 'exit at once')).code).toBe(0);
    await expectNoneWith(mark);
  });

  test('has nothing left that keeps it alive after close', async () => {
    const report = await runClient(shell(`sleep 1000 & echo '{"ready":true}'; cat`), 'close');
    const extra = report.after.filter(resource => !report.before.includes(resource));
    expect(extra).toEqual([]);
    expect(report.code).toBe(0);
    expect(report.errors).toBe('');
  });

  test('skips a line of 400 MB, and takes no memory for it', async () => {
    const report = await runClient(fixture('long-line.mjs', '400'), 'close', ['--max-old-space-size=200']);
    expect(JSON.parse(report.message)).toEqual({ after: 'the long line' });
    expect(report.problems).toEqual([expect.stringContaining('longer than 16777216 bytes')]);
    expect(report.peak).toBeLessThan(250 * 1024 * 1024);
  });
});
