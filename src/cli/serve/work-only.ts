import { once } from 'node:events';
import { work } from 'tenon/tasks';
import { usageError } from '../failure.js';
import { ServerFile } from '../load/server-file.js';
import { openHealth } from './health.js';
import { log, logConsole } from './json-log.js';
import { tellReady } from './ready.js';

export interface WorkFlags {
  readonly port: number;
  readonly host: string;
  readonly health: string;
  /** Whether the user named the port. */
  readonly hasPort: boolean;
}

/** Works on the tasks of the server in a file until the signal aborts; then hands them over. */
export async function workOnly(path: string, flags: WorkFlags, signal: AbortSignal): Promise<void> {
  logConsole();
  const { server, options } = await new ServerFile(path).load();
  const { cluster } = options;
  if (cluster?.isInProcess) {
    throw usageError(
      'a process that only works shares nothing with the others by memoryCluster, which never leaves its process',
      'Use redisCluster of tenon/redis, or postgresCluster of tenon/postgres.',
    );
  }
  const working = await work(server, { cluster });
  const health = flags.hasPort ? await openHealth(flags) : undefined;
  log('info', 'working', health && { health: health.url });
  tellReady(cluster);
  if (!signal.aborted) await once(signal, 'abort');
  log('info', 'closing');
  await working.close();
  await cluster?.close();
  health?.close();
  log('info', 'closed');
}
