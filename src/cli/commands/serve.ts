import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import type { Cli } from '../cli.js';
import { usageError } from '../failure.js';
import { readPort } from '../port.js';
import { type ServeFlags, serve } from '../serve/serve.js';
import { workOnly } from '../serve/work-only.js';
import { runWorkers } from '../serve/workers.js';

export function defineServe(command: Command, cli: Cli): void {
  const { PORT = '3000', HOST = '127.0.0.1' } = process.env;
  command
    .argument('<file>', 'the file that exports the server, in TypeScript or JavaScript')
    .option('--port <number>', 'the port, or PORT', readPort, readPort(PORT))
    .option('--host <address>', 'the address to listen on, or HOST; 0.0.0.0 for all of the machine', HOST)
    .option('--path <path>', 'the path of the server', '/mcp')
    .option('--health <path>', 'the path that answers `ok`, for load balancers', '/healthz')
    .option('--workers <number>', 'how many processes share the port; `all` for one per core', readWorkers, 1)
    .option(
      '--worker',
      'only work on tasks: serve nothing but the health path, and that only if there is a port',
    )
    .option('--no-work', 'only serve: leave tasks to the processes with --worker')
    .option('--grace <seconds>', 'how long calls may go on after SIGTERM', readSeconds, 10)
    .option('--log-requests', 'log every request')
    .option('--json', 'has no effect: the log consists of JSON lines in any case')
    .option('--verbose', 'show where an error comes from')
    .addHelpText('after', HELP)
    .action(async (path: string, flags: Flags) => {
      if (flags.worker && !flags.work) throw usageError('--worker and --no-work leave nothing to do');
      // Beside a server on the same machine, its port is taken.
      const hasPort = command.getOptionValueSource('port') === 'cli' || process.env.PORT !== undefined;
      if (flags.workers > 1 && cluster.isPrimary) await runWorkers(flags.workers, cli.signal);
      else if (flags.worker) await workOnly(path, { ...flags, hasPort }, cli.signal);
      else await serve(path, flags, cli.signal);
    });
}

interface Flags extends ServeFlags {
  readonly workers: number;
  readonly worker?: boolean;
}

const HELP = `
The file exports the server: \`export default server\`. An export \`options\` is passed to \`listen\`: \`auth\`,
\`allowedOrigins\` and so on. Sessions and rounds outlive a restart if TENON_KEYS is set: several processes or machines
need the same, and \`export const options = { cluster }\` for what keys alone do not share: docs/deploy.md.

Examples:
  tenon serve src/server.ts --worker
  TENON_KEYS=… tenon serve src/server.ts --host 0.0.0.0 --workers all
  PORT=8080 tenon serve dist/server.js --log-requests`;

function readWorkers(text: string): number {
  if (text === 'all') return availableParallelism();
  const workers = Number(text);
  if (Number.isInteger(workers) && workers >= 1 && workers <= 1024) return workers;
  throw new InvalidArgumentError('It is a number, 1 or more, or `all`.');
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== '' && seconds >= 0 && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError('It is a number of seconds, such as 10.');
}
