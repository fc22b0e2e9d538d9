import { once } from 'node:events';
import { createQueuedStudio } from './queued-studio.js';

// A node that only works, until the test kills it or lets it go.
const [url, ledger] = process.argv.slice(2) as [string, string];
const { work, cluster } = createQueuedStudio({ url, ledger, concurrency: 5 });
await work.start();
console.log('at work');
if (process.connected) await once(process, 'disconnect');
await work.close();
await cluster.close();
