import { UsageError } from '../../../base/errors.js';

/** What this SDK uses of a `Pool` of the package `pg`. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
}

/** A connection of a pool. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  on(event: 'error' | 'end' | 'notification', listener: (detail: unknown) => void): unknown;
  off(event: 'error' | 'end' | 'notification', listener: (detail: unknown) => void): unknown;
  /** Gives it back, or ends it. */
  release(destroy?: boolean): void;
}

/** A pool that this SDK has made, and has to end. */
export interface OwnPool extends PostgresPool {
  end(): Promise<void>;
}

/** Makes a pool. */
export async function createPool(connectionString: string, timeoutMs: number): Promise<OwnPool> {
  const Pool = await loadPool();
  const pool = new Pool({
    connectionString,
    connectionTimeoutMillis: timeoutMs,
    statement_timeout: timeoutMs,
    application_name: 'tenon',
  });
  // An idle connection has ended. The pool opens others; without a listener the process would end.
  pool.on('error', () => {});
  // The same for a connection that ends in the moment in which it is ready: the pool has handed it out, nobody has it yet.
  pool.on('connect', client => client.on('error', () => {}));
  return pool as unknown as OwnPool;
}

async function loadPool() {
  try {
    const { default: pg } = await import('pg');
    return pg.Pool;
  } catch (cause) {
    throw new UsageError('tenon/postgres needs the package pg: npm install pg', { cause });
  }
}
