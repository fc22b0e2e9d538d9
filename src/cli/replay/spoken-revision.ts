import { CannotConnect, RequestTimeout } from 'tenon/client';
import type { Cli } from '../cli.js';
import { type ConnectionFlags, withClient } from '../connection.js';
import { EXIT } from '../exit-codes.js';
import { CliError } from '../failure.js';
import type { Target } from '../target.js';

/**
 * Why there is no connection in the revision of a recording. If the server speaks another one, the error names it;
 * otherwise it is the error that was given.
 */
export async function explainRevision(
  error: unknown,
  recorded: string | undefined,
  target: Target,
  flags: ConnectionFlags,
  cli: Cli,
): Promise<unknown> {
  const isOther = !(error instanceof CannotConnect) || error.cause instanceof RequestTimeout;
  if (isOther || recorded === undefined || flags.revision !== undefined) return error;
  const spoken = await withClient(cli, target, flags, {}, async ({ revision }) => revision).catch(
    () => recorded,
  );
  if (spoken === recorded) return error;
  return new CliError(`the server does not speak revision ${recorded}, in which the requests were recorded`, {
    next: `Play them in the newest revision that it speaks: --revision ${spoken}`,
    exitCode: EXIT.cannotConnect,
    kind: error.kind,
    cause: error,
  });
}
