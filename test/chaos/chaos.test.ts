import { describe, expect, it } from 'vitest';
import { isInstalled } from '../services/programs.js';
import { runChaos } from './chaos.js';
import type { StoreName } from './stores.js';

/** `npm run test:chaos` is the same with 20,000 of each, and kills a node every two seconds. */
const SMALL = { rounds: 100, tasks: 100, killEveryMs: 1000, restarts: 1, concurrency: 50, leaseMs: 2000 };

describe.each<StoreName>(['redis', 'postgres'])('on %s', store => {
  it.runIf(isInstalled(store) && isInstalled('nginx'))(
    'rounds and tasks end well while nodes are killed and the store is restarted, and nothing is done twice without a reason',
    { timeout: 900_000 },
    async () => {
      const { report } = await runChaos({ ...SMALL, store, engine: 'bullmq', seed: 17 });
      expect(report.problems).toEqual([]);
      expect(report.get('nodes killed')).toBeGreaterThan(0);
      const used = report.get('single use: states used up, but the answer was lost');
      expect(report.get('rounds: calls with a result') + used).toBe(SMALL.rounds);
      const parked = report.get('tasks: given up after five lost nodes');
      expect(report.get('tasks: completed') + parked).toBe(SMALL.tasks);
    },
  );
});
