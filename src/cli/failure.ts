import { CannotConnect, HttpError, type McpError, RequestTimeout, TenonError } from 'tenon/client';
import { ERROR } from 'tenon/protocol';
import { EXIT, type ExitCode } from './exit-codes.js';

/** A failure for the user of a command: what happened, what to do next, and how the process ends. */
export interface Failure {
  readonly kind: string;
  readonly message: string;
  readonly next: string | undefined;
  readonly exitCode: ExitCode;
}

/**
 * Ends a command. The message says what happened, `next` what to do about it.
 *
 * @example
 * throw new CliError('there is no tool "reserv"', { next: 'Did you mean "reserve"?', exitCode: EXIT.usage });
 */
export class CliError extends Error implements Failure {
  override readonly name = 'CliError';
  readonly kind: string;
  readonly next: string | undefined;
  readonly exitCode: ExitCode;

  constructor(
    message: string,
    { next, exitCode = EXIT.failed, kind = 'cli', ...rest }: Partial<Failure> & ErrorOptions = {},
  ) {
    super(message, rest);
    this.kind = kind;
    this.next = next;
    this.exitCode = exitCode;
  }
}

/** Wrong usage of a command, found by the command itself. */
export function usageError(message: string, next?: string): CliError {
  return new CliError(message, { next, exitCode: EXIT.usage, kind: 'usage' });
}

/** Describes any error that a command threw; `startsProgram` says whether the target is a program after `--`. */
export function describeFailure(error: unknown, startsProgram = false): Failure {
  if (error instanceof CliError) return error;
  if (error instanceof TenonError) {
    return {
      kind: error.kind,
      message: messageOf(error),
      next: nextStep(error, startsProgram),
      exitCode: exitCodeOf(error),
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  const next = 'Run the command again with --verbose to see where this comes from.';
  return { kind: 'unexpected', message, next, exitCode: EXIT.failed };
}

/** The message of the SDK, except where it names options and members of its classes. */
function messageOf(error: TenonError): string {
  if (wantsSignIn(error)) return 'the server requires a sign-in or a token (HTTP status 401)';
  return error.message.replace(/; `client\.[^`]*` has .*$/, '').trimEnd();
}

function exitCodeOf(error: TenonError): ExitCode {
  switch (error.kind) {
    case 'usage':
      return EXIT.usage;
    case 'cancelled':
      return EXIT.interrupted;
    case 'timeout':
      return EXIT.timedOut;
    case 'access':
    case 'sign-in-required':
      return EXIT.signInNeeded;
    case 'cannot-connect':
    case 'http':
    case 'connection':
    case 'access-unreachable':
    case 'cannot-listen':
    case 'cluster-unavailable':
      return exitCodeOfConnection(error);
    default:
      return EXIT.failed;
  }
}

function exitCodeOfConnection(error: TenonError): ExitCode {
  if (wantsSignIn(error)) return EXIT.signInNeeded;
  return error.cause instanceof RequestTimeout ? EXIT.timedOut : EXIT.cannotConnect;
}

function wantsSignIn(error: unknown): boolean {
  if (error instanceof HttpError) return error.status === 401;
  return error instanceof CannotConnect && wantsSignIn(error.cause);
}

/** The errors of access are in a part of the SDK that is loaded only if a token is used. */
function lacksScopes(error: TenonError): boolean {
  return 'problem' in error && error.problem === 'scope';
}

function nextStep(error: TenonError, startsProgram: boolean): string | undefined {
  if (wantsSignIn(error)) return SIGN_IN;
  switch (error.kind) {
    case 'usage':
      return undefined;
    case 'mcp':
      return nextStepOf(error as McpError, startsProgram);
    case 'timeout':
      return 'Give it more time with --timeout SECONDS, or find out what it does with --verbose.';
    case 'cannot-connect':
      if (error.cause instanceof RequestTimeout) return 'Give it more time with --timeout SECONDS.';
      return 'Run `tenon doctor` with the same target to find out why.';
    case 'connection':
    case 'http':
    case 'access-unreachable':
      return 'Try again; if it stays so, run `tenon doctor` with the same target.';
    case 'access':
      return lacksScopes(error) ? 'Get a token with these scopes, or sign in with --sign-in.' : SIGN_IN;
    case 'sign-in-required':
      return SIGN_IN;
    case 'not-supported':
      return 'Run `tenon list` with the same target to see what this server offers.';
    case 'skill-refused':
      return 'Do not use this skill; `tenon skills check` with the same target says what is wrong with all of them.';
    case 'cluster-unavailable':
      return 'Start the store that the nodes share, or correct its address; then try again.';
    case 'group-full':
      return 'Try again when some of them have expired.';
    case 'invalid-answer':
    case 'too-many-rounds':
      return 'This is a fault of the server: tell its author, and see `tenon doctor` for details.';
    default:
      return undefined;
  }
}

const SIGN_IN = 'Sign in with --sign-in, or give a token with --bearer TOKEN or --header "Name: value".';

function nextStepOf({ code }: McpError, startsProgram: boolean): string | undefined {
  switch (code) {
    case ERROR.missingCapability:
      return 'Give it what it asks for: --sample TEXT answers for a model, --root DIR names a folder.';
    case ERROR.urlElicitationRequired:
      return 'Visit the page, and run the command again.';
    case ERROR.internal:
      return startsProgram
        ? 'The log of the server says more; --verbose shows what it writes to standard error.'
        : 'The log of the server says more.';
    default:
      return undefined;
  }
}
