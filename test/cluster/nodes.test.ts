import { describe } from 'vitest';
import { memoryCluster } from '../../src/server/cluster/memory.js';
import { describeChangeNotices } from './change-notices.js';

describe('nodes that share the memory of a process', () => {
  const open = async () => {
    const cluster = memoryCluster();
    return { connect: () => cluster, close: () => cluster.close() };
  };
  describeChangeNotices(open);
});
