import { UsageError } from '../../../base/errors.js';
import type { Command } from '../../../client/command.js';
import type { Transport } from '../../../protocol/transport.js';
import { launch } from './launch.js';
import { ServerProcess } from './server-process.js';
import { Tail } from './tail.js';

/** How to start a server. */
export interface SpawnOptions extends Command {
  /** Called for lines on stdout that are not messages; they are skipped. */
  onProblem?: ((problem: Error) => void) | undefined;
}

/** A transport to a server that runs as a child process. */
export interface SpawnedTransport extends Transport {
  /** The process id, once it is started. */
  readonly pid: number | undefined;
  /** The last part of the process's stderr. */
  readonly stderr: string;
  /** Whether the process has written anything. */
  readonly hasWritten: boolean;
  /** Whether the process has sent a message. */
  readonly hasSpoken: boolean;
}

/** How long a program that a client started may take to exit when its input is closed, unless `graceMs` is set. */
export const PROGRAM_GRACE_MS = 1500;
const MAX_STDERR = 64 * 1024;

/**
 * A transport that starts a server as a child process and uses its standard input and output. When the transport is
 * closed, or this process exits, the server and all its descendants are ended.
 *
 * @example
 * const transport = spawnTransport({ command: 'npx', args: ['-y', 'some-mcp-server'], env: { TOKEN: token } });
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */
export function spawnTransport(command: SpawnOptions): SpawnedTransport {
  const { graceMs = PROGRAM_GRACE_MS, onStderr, onProblem = () => {} } = command;
  const errors = new Tail(MAX_STDERR);
  let starting: Promise<ServerProcess> | undefined;
  let server: ServerProcess | undefined;
  let isClosed = false;

  return {
    get pid() {
      return server?.pid;
    },
    get stderr() {
      return errors.text;
    },
    get hasWritten() {
      return server?.hasWritten ?? false;
    },
    get hasSpoken() {
      return server?.hasSpoken ?? false;
    },

    async start(receive, closed) {
      if (isClosed) throw new UsageError('the transport is closed; make another one');
      if (starting) throw new UsageError('the transport has been started already; make another one');
      starting = launch(command).then(launched => {
        const listeners = { receive, closed, onProblem, onStderr };
        server = new ServerProcess(launched, errors, graceMs, listeners);
        return server;
      });
      await starting;
    },

    send(text) {
      if (!server) throw new UsageError('start the transport before sending');
      return server.send(text);
    },

    async close() {
      isClosed = true;
      const started = await starting?.catch(() => undefined);
      await started?.close();
    },
  };
}
