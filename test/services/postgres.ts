import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findPostgres, HOW_TO_INSTALL } from './programs.js';
import { type ServiceControl, startService } from './service-process.js';

/** A Postgres that tests have started. */
export interface PostgresService extends ServiceControl {
  readonly connectionString: string;
  /** Runs one statement on a connection of its own. */
  query(text: string): Promise<Record<string, any>[]>;
}

/** Starts Postgres on loopback. What it has committed survives a crash of its processes. */
export async function startPostgres({
  settings = {},
  maxFileBytes,
}: {
  settings?: Readonly<Record<string, string>>;
  /** A limit for the size of its files, which works like a disk that is full. */
  maxFileBytes?: number;
} = {}): Promise<PostgresService> {
  const programs = findPostgres();
  if (!programs) throw new Error(`Postgres is missing: ${HOW_TO_INSTALL.postgres}`);
  const { server, init } = programs;
  const user = unprivilegedUser();
  const all = { ...SETTINGS, ...settings };
  const limit = maxFileBytes === undefined ? 'unlimited' : `${maxFileBytes / 512}`;
  const service = await startService({
    program: { file: '/bin/sh' },
    user,
    prepare: async folder => {
      const args = ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'];
      await promisify(execFile)(init.file, [...args, '--no-sync', '--wal-segsize=1'], {
        cwd: folder,
        ...user,
      });
    },
    args: (folder, port) => [
      ...['-c', `ulimit -f ${limit}; exec "$0" "$@"`, server.file],
      ...['-D', join(folder, 'data'), '-h', '127.0.0.1', '-p', `${port}`],
      ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    answers: port => query(connectionString(port), 'SELECT 1').then(Boolean, () => false),
  });
  return Object.assign(service, {
    connectionString: connectionString(service.port),
    query: (text: string) => query(connectionString(service.port), text),
  });
}

/** The machine does not crash with the process, so that nothing has to reach a disk. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '32MB',
  max_wal_size: '64MB',
};

function connectionString(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

async function query(connection: string, text: string): Promise<Record<string, any>[]> {
  const client = new Client({ connectionString: connection, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Postgres refuses to run as root, so that root has to start it as another user. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  return { uid: Number(line?.[1] ?? 65_534), gid: Number(line?.[2] ?? 65_534) };
}
