/** What can be wrong with a server. docs/doctor.md explains each. */
export type Cause =
  | 'unreachable'
  | 'tls'
  | 'redirect'
  | 'wrong-path'
  | 'web-page'
  | 'wrong-host'
  | 'server-error'
  | 'no-answer'
  | 'not-mcp'
  | 'hangs-on-probe'
  | 'old-transport'
  | 'version-mismatch'
  | 'invalid-answer'
  | 'session-lost'
  | 'session-rules'
  | 'buffered'
  | 'any-origin'
  | 'cors'
  | 'header-rules'
  | 'no-metadata'
  | 'metadata'
  | 'audience-mismatch'
  | 'authorization-server'
  | 'no-registration'
  | 'token-refused'
  | 'forbidden'
  | 'cannot-start'
  | 'dies'
  | 'stdout-noise'
  | 'slow-start'
  | 'stays-alive'
  | 'cannot-connect'
  | 'invalid-schema'
  | 'invalid-entry'
  | 'time-limit';

/** Something that is wrong with a server. */
export interface Finding {
  readonly cause: Cause;
  /** `error`: clients fail, or will. `warning`: it works, but breaks a rule or is a risk. */
  readonly severity: 'error' | 'warning';
  /** The cause in one sentence. */
  readonly title: string;
  /** What was seen. */
  readonly detail?: string | undefined;
  /** The page of the specification that says how it should be. */
  readonly page?: string | undefined;
  /** What to do about it. */
  readonly todo: string;
}

/** One thing that was tried, and what came back. */
export interface Step {
  /** `info` is for what is neither good nor bad. */
  readonly mark: 'ok' | 'error' | 'warning' | 'info';
  readonly what: string;
  readonly outcome?: string | undefined;
  readonly ms?: number | undefined;
}
