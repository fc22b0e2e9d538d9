import { Cancelled } from 'tenon/client';

/**
 * A signal that aborts when the user presses Ctrl+C or the process is told to end. Commands stop their work then and
 * close what they have opened, so that no program is left running.
 */
export function watchInterrupt(): AbortController {
  const controller = new AbortController();
  const stop = () => controller.abort(new Cancelled('interrupted'));
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop);
  // The reader of a pipe, such as `head`, has seen enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') controller.abort(new Cancelled('nobody reads the output any more'));
  });
  return controller;
}
