import cluster, { type Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { CliError } from '../failure.js';
import { log } from './json-log.js';

/** After so many workers in a row that ended before they listened, the fault is not in one of them. */
const MAX_EARLY_ENDS = 5;

const ONE_PROCESS_PER_SESSION =
  'if tools ask clients of the revisions with a handshake, run one process: their answers must reach the process that asked';

/**
 * Starts processes that share the port, and starts another one for each that dies. All have the same keys, so each can
 * continue the sessions and rounds of the others.
 */
export async function runWorkers(count: number, signal: AbortSignal): Promise<void> {
  const keys = process.env.TENON_KEYS ?? randomBytes(32).toString('base64url');
  let earlyEnds = 0;
  let exitCode: ExitCode = EXIT.failed;
  const failed = new AbortController();
  const start = () => {
    const worker = cluster.fork({ TENON_KEYS: keys });
    let hasListened = false;
    worker.once('listening', () => {
      hasListened = true;
    });
    worker.once('exit', (code, killedBy) => {
      if (signal.aborted || failed.signal.aborted) return;
      log('error', 'a worker ended', { worker: worker.process.pid, code, signal: killedBy });
      earlyEnds = hasListened ? 0 : earlyEnds + 1;
      if (isExitCode(code)) exitCode = code;
      if (earlyEnds < MAX_EARLY_ENDS) start();
      else failed.abort();
    });
  };
  log('info', 'starting workers', { workers: count });
  log('warn', ONE_PROCESS_PER_SESSION);
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
