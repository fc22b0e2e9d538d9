import { Cancelled } from 'tenon/client';

/**
 * Aborts when the user presses Ctrl+C or the process is told to end. Commands stop their work then and close what they
 * have opened, so that no program is left running.
 */
export function watchInterrupt(): AbortController {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interrupt(controller));
  // The reader of a pipe, such as `head`, has seen enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') interrupt(controller);
  });
  return controller;
}

/** Ends the command as Ctrl+C does. */
export function interrupt(controller: AbortController): void {
  controller.abort(new Cancelled('interrupted'));
}
