import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { GroupTree } from './process-group.js';

/** A process that leads a group, in which it waits for another one. */
async function startGroup(script: string): Promise<GroupTree> {
  const child = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => tree.kill());
  const tree = new GroupTree(child.pid as number);
  await once(child.stdout, 'data');
  return tree;
}

const GONE = { timeout: 120_000 };

test('a group ends as one when it is asked to', async () => {
  const tree = await startGroup('sleep 1000 & echo ready; wait');
  expect(tree.isAlive()).toBe(true);
  expect(tree.terminate()).toBe(true);
  await expect.poll(() => tree.isAlive(), GONE).toBe(false);
  expect(tree.terminate()).toBe(false);
});

test('a group that does not want to end is killed', async () => {
  const tree = await startGroup(`trap '' TERM; sleep 1000 & echo ready; wait`);
  tree.terminate();
  expect(tree.isAlive()).toBe(true);
  tree.kill();
  await expect.poll(() => tree.isAlive(), GONE).toBe(false);
});
