/** The exit codes of every command. docs/cli.md explains them, and `tenon --help` lists them. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  cannotConnect: 3,
  signInNeeded: 4,
  differs: 5,
  timedOut: 6,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit codes as the last part of `tenon --help`. */
export const EXIT_CODES_HELP = `
Exit codes:
  0    done
  1    the server answered with an error, or the tool failed
  2    wrong usage
  3    no connection to the server, or no port to listen on
  4    the server wants a sign-in or a token
  5    differences or violations were found
  6    no answer in time
  130  interrupted`;
