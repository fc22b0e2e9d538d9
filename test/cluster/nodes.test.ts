import { describe } from 'vitest';
import { memoryCluster } from '../../src/server/cluster/memory.js';
import { describeAnswers } from './answers.js';
import { describeChangeNotices } from './change-notices.js';
import { describeSessions } from './sessions.js';
import { describeSingleUse } from './single-use.js';
import { describeStreams } from './streams.js';

describe('nodes that share the memory of a process', () => {
  const open = async () => {
    const cluster = memoryCluster();
    return { connect: () => cluster, close: () => cluster.close() };
  };
  describeChangeNotices(open);
  describeAnswers(open);
  describeSessions(open);
  describeStreams(open);
  describeSingleUse(open);
});
