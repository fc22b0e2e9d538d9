import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Client, type ConnectOptions, type ConnectStatus, connect } from 'tenon/client';
import { SUPPORTED_REVISIONS } from 'tenon/protocol';
import type { Cli } from './cli.js';
import { EXIT } from './exit-codes.js';
import { CliError } from './failure.js';
import type { Target } from './target.js';
import { readVersion } from './version.js';

/** The values of the options that every command with a target has. */
export interface ConnectionFlags {
  readonly header?: Readonly<Record<string, string>>;
  readonly bearer?: string;
  readonly signIn?: boolean;
  readonly revision?: string;
  /** In seconds. */
  readonly timeout?: number;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** Adds the options that every command with a target has. */
export function addConnectionOptions(
  command: Command,
  timeoutHelp = 'how long to wait for an answer (default: 60)',
): Command {
  return command
    .option('--header <name: value>', 'a header of every HTTP request; may be repeated', readHeader)
    .addOption(
      new Option('--bearer <token>', 'a token or API key to send as `Authorization: Bearer`')
        .env('TENON_BEARER')
        .argParser(readToken),
    )
    .option('--sign-in', 'sign in with the browser if the server wants it; the sign-in is remembered')
    .addOption(new Option('--revision <date>', 'speak only this revision').choices(SUPPORTED_REVISIONS))
    .option('--timeout <seconds>', timeoutHelp, readSeconds)
    .option('--json', 'print JSON for programs, and nothing else, on standard output')
    .option('--verbose', 'show what happens, on standard error');
}

/**
 * Connects to a target, and closes the connection when `use` is done. Programs that were started have ended then.
 *
 * @example
 * const tools = await withClient(cli, target, flags, {}, client => client.tools({ signal: cli.signal }));
 */
export async function withClient<T>(
  cli: Cli,
  target: Target,
  flags: ConnectionFlags,
  options: ConnectOptions,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await connect(addressOf(target, cli), {
    ...(await connectOptions(cli, target, flags)),
    ...options,
    signal: AbortSignal.any([cli.signal, connectingLimit(flags.timeout)]),
  });
  try {
    cli.output.detail(`connected to ${target.label} in revision ${client.revision}`);
    return await use(client);
  } finally {
    await client.close();
  }
}

/** The options of `connect` that follow from the options of a command. */
export async function connectOptions(
  cli: Cli,
  target: Target,
  flags: ConnectionFlags,
): Promise<ConnectOptions> {
  const { output, signal } = cli;
  return {
    serverName: target.label,
    info: { name: 'tenon-cli', title: 'Tenon command line', version: readVersion() },
    signal,
    revision: flags.revision,
    ...timeLimits(flags.timeout),
    ...(typeof target.address === 'string' && (await access(target, flags))),
    onWarning: message => output.warn(message),
    onStatus: status => output.detail(describeStatus(status)),
  };
}

/** A program is started with what `--verbose` needs to show of it. */
export function addressOf({ address }: Target, { output }: Cli): Target['address'] {
  if (typeof address === 'string') return address;
  return { ...address, ...(output.isVerbose && { onStderr: text => output.detail(text.trimEnd()) }) };
}

async function access(target: Target, flags: ConnectionFlags): Promise<ConnectOptions> {
  const headers = { ...target.headers, ...flags.header };
  if (flags.bearer !== undefined) {
    const { bearer } = await import('tenon/auth/client');
    return { headers, auth: bearer(flags.bearer) };
  }
  if (!flags.signIn) return { headers };
  const { rememberedSignIn } = await import('./sign-in.js');
  return { headers, auth: rememberedSignIn() };
}

/** The limits of single answers, so that there is time for a second way to connect if the first is not answered. */
function timeLimits(seconds: number | undefined): ConnectOptions {
  if (seconds === undefined) return {};
  const timeoutMs = seconds * 1000;
  // A program that has written nothing gets six times the time for the probe.
  const probeTimeoutMs = Math.min(5000, timeoutMs / 12);
  return {
    timeoutMs,
    maxTimeoutMs: Math.max(timeoutMs, 5 * 60_000),
    startTimeoutMs: timeoutMs,
    probeTimeoutMs,
  };
}

/** Ends connecting after the time that the user gives, however many ways there are left to try. */
function connectingLimit(seconds: number | undefined): AbortSignal {
  const limit = new AbortController();
  if (seconds === undefined) return limit.signal;
  const error = new CliError(`the server did not answer within ${seconds} s`, {
    next: 'Give it more time with --timeout SECONDS, or run `tenon doctor` with the same target.',
    exitCode: EXIT.timedOut,
    kind: 'timeout',
  });
  setTimeout(() => limit.abort(error), seconds * 1000).unref();
  return limit.signal;
}

function describeStatus(status: ConnectStatus): string {
  switch (status.kind) {
    case 'waiting':
      return `no answer yet, after ${Math.round(status.waitedMs / 1000)} s`;
    case 'falling-back':
      return `trying ${status.to}: ${status.reason}`;
    case 'restarting':
      return `starting the program again: ${status.reason}`;
    case 'connected':
      return `connected, in revision ${status.revision}`;
    default:
      return status.kind;
  }
}

function readHeader(text: string, previous: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^([^:\s]+)\s*:\s*(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Write it as "Name: value".');
  return { ...previous, [name]: value };
}

/** A token may begin with a hyphen, but none is called like an option. */
function readToken(text: string): string {
  if (/^--[a-z-]+$/.test(text)) throw new InvalidArgumentError(`It is a token, and ${text} is an option.`);
  return text;
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== '' && seconds > 0 && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError('It is a number of seconds, such as 5 or 0.5.');
}
