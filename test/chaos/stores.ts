import { startPostgres } from '../services/postgres.js';
import { startRedis } from '../services/redis.js';
import type { ServiceControl } from '../services/service-process.js';

/** A store of the nodes, which is ended and started again. */
export interface ChaosStore {
  readonly url: string;
  readonly service: ServiceControl;
  /** How it is ended, in turn: in order, and as by a crash. */
  readonly endings: readonly NodeJS.Signals[];
}

export type StoreName = 'redis' | 'postgres';

/** Starts a store that has written to its disk what it has acknowledged. */
export async function startStore(name: StoreName): Promise<ChaosStore> {
  if (name === 'redis') {
    const service = await startRedis(['--appendfsync', 'always']);
    return { url: service.url, service, endings: ['SIGKILL', 'SIGTERM'] };
  }
  const service = await startPostgres({ settings: { fsync: 'on', full_page_writes: 'on' } });
  // Its words for these: immediate, fast, and none.
  return { url: service.connectionString, service, endings: ['SIGQUIT', 'SIGINT', 'SIGKILL'] };
}
