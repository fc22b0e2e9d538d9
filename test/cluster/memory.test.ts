import { type Cluster, memoryCluster } from '../../src/server/cluster/index.js';
import { describeContract } from './contract.js';

let cluster: Cluster;

describeContract('memoryCluster', {
  start: async () => {
    cluster = memoryCluster();
  },
  open: () => cluster,
  stop: () => cluster.close(),
});
