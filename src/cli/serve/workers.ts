import cluster, { type Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { CliError } from '../failure.js';
import { log } from './json-log.js';
import type { Ready } from './ready.js';

/** After so many workers in a row that ended before they were ready, the fault is not in one of them. */
const MAX_EARLY_ENDS = 5;

const ALONE =
  'the processes share no cluster, so each of them has its own: questions to clients of the revisions with a handshake, ' +
  'whose answers must reach the process that asked; replay of their streams; log levels, subscriptions and values of ' +
  'sessions; ends of sessions; notices of changes; single use; and tasks. Write `export const options = { cluster }` into ' +
  'the file, with redisCluster or postgresCluster, or run one process';

/**
 * Starts processes that share the port, and starts another one for each that dies. All have the same keys, so each can
 * continue the sessions and rounds of the others. The rest they share by the cluster that the file exports.
 */
export async function runWorkers(count: number, signal: AbortSignal): Promise<void> {
  const keys = process.env.TENON_KEYS ?? randomBytes(32).toString('base64url');
  let earlyEnds = 0;
  let isWarned = false;
  let exitCode: ExitCode = EXIT.failed;
  const failed = new AbortController();
  const start = () => {
    const worker = cluster.fork({ TENON_KEYS: keys });
    let wasReady = false;
    worker.once('message', ({ isAlone }: Ready) => {
      wasReady = true;
      if (isAlone && !isWarned) log('warn', ALONE);
      isWarned ||= isAlone;
    });
    worker.once('exit', (code, killedBy) => {
      if (signal.aborted || failed.signal.aborted) return;
      log('error', 'a worker ended', { worker: worker.process.pid, code, signal: killedBy });
      earlyEnds = wasReady ? 0 : earlyEnds + 1;
      if (isExitCode(code)) exitCode = code;
      if (earlyEnds < MAX_EARLY_ENDS) start();
      else failed.abort();
    });
  };
  log('info', 'starting workers', { workers: count });
  for (let worker = 0; worker < count; worker++) start();
  await once(AbortSignal.any([signal, failed.signal]), 'abort');
  await Promise.all(Object.values(cluster.workers ?? {}).map(worker => end(worker as Worker)));
  if (failed.signal.aborted) {
    throw new CliError('the workers end as soon as they are started', {
      next: 'Correct what they report above.',
      exitCode,
    });
  }
}

/** Whether a worker has ended because of an error that it has reported. */
function isExitCode(code: number | null): code is ExitCode {
  return code === EXIT.usage || code === EXIT.cannotConnect;
}

async function end(worker: Worker): Promise<void> {
  const ended = once(worker, 'exit');
  worker.process.kill('SIGTERM');
  await ended;
}
