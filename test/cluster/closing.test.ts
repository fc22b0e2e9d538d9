import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { program } from '../programs/program.js';
import { startPostgres } from '../services/postgres.js';
import { isInstalled } from '../services/programs.js';
import { startRedis } from '../services/redis.js';

const PROGRAM = fileURLToPath(new URL('closing.ts', import.meta.url));

describe.runIf(isInstalled('redis'))('redisCluster', () => {
  it('keeps no process alive after it was closed', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    expect(await run('redis', redis.url)).toEqual({ stdout: 'soup\n', stderr: '' });
  });
});

describe.runIf(isInstalled('postgres'))('postgresCluster', () => {
  it('keeps no process alive after it was closed', async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    expect(await run('postgres', postgres.connectionString)).toEqual({ stdout: 'soup\n', stderr: '' });
  });
});

function run(store: string, where: string): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, [program(PROGRAM), store, where]);
}
