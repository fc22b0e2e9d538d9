import type { Cli } from '../cli.js';
import { type ConnectionFlags, connectOptions, withClient } from '../connection.js';
import { usageError } from '../failure.js';
import type { Target } from '../target.js';

/** The headers that are added to requests for a target: those that the user gives, and the token of a sign-in. */
export async function credentialHeaders(
  cli: Cli,
  target: Target,
  flags: ConnectionFlags,
): Promise<(method: string) => Promise<Readonly<Record<string, string>>>> {
  const url = String(target.address);
  const { headers = {}, auth } = await connectOptions(cli, target, flags);
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  if (auth || given.length > 0) refuseClearText(new URL(url));
  // A user who wants to sign in does so before the first request of a client, which has limits of its own.
  if (flags.signIn) await withClient(cli, target, flags, {}, async () => {});
  const authorizer = auth?.authorizer(url);
  return async method => ({
    ...Object.fromEntries(given),
    ...(await authorizer?.begin({ method: method as 'POST', url }).headers()),
  });
}

function refuseClearText({ protocol, hostname, origin }: URL): void {
  if (protocol === 'https:' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)) return;
  throw usageError(
    `headers and tokens would travel in clear text to ${origin}`,
    'Use the https: address of this server.',
  );
}
