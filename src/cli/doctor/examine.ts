import type { Command, ConnectOptions } from 'tenon/client';
import { checkAccess } from './access/check.js';
import { runChecks } from './check.js';
import { checkAsClient } from './client-check.js';
import { checkCors } from './http/cors.js';
import { checkHeaderRules } from './http/header-rules.js';
import { checkHost } from './http/host.js';
import { checkTransport } from './http/old-transport.js';
import { checkOrigin } from './http/origin.js';
import { checkOtherCause } from './http/other-cause.js';
import { checkPath } from './http/other-path.js';
import { checkProbe } from './http/probe-silence.js';
import { checkReach } from './http/reach.js';
import { checkRedirect } from './http/redirect.js';
import { checkRevisions } from './http/revisions.js';
import { checkSession } from './http/session.js';
import { checkStreams } from './http/streams.js';
import { HttpSubject } from './http/subject.js';
import { checkTls } from './http/tls.js';
import { checkHabits } from './program/habits.js';
import { checkNoise } from './program/noise.js';
import { checkProgramRevisions } from './program/revisions.js';
import { checkStart } from './program/start.js';
import { ProgramSubject } from './program/subject.js';
import type { Report } from './report.js';
import type { Outcome } from './verdict.js';

/** What every examination needs. */
export interface Circumstances {
  readonly report: Report;
  /** How long one answer may take. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** How to connect as a client. */
  readonly options: ConnectOptions;
}

export interface HttpAccess {
  readonly headers: Readonly<Record<string, string>>;
  readonly token: string | undefined;
  readonly origin: string | undefined;
  /** Whether the client can get a token by itself. */
  readonly canSignIn: boolean;
}

/** Examines a server at a URL. `learn` is told what is known, also if the examination does not come to its end. */
export async function examineUrl(
  url: URL,
  { headers, token, origin, canSignIn }: HttpAccess,
  { report, limitMs, signal, options }: Circumstances,
  learn: (outcome: Outcome) => void,
): Promise<void> {
  const subject = new HttpSubject({ url, headers, token, origin, limitMs, signal });
  const checks = [
    checkReach,
    checkTls,
    checkRevisions,
    checkProbe,
    checkTransport,
    checkRedirect,
    checkHost,
    checkPath,
    checkOtherCause,
    checkAccess,
    checkSession,
    checkStreams,
    checkHeaderRules,
    checkOrigin,
    checkCors,
    checkAsClient((one: HttpSubject) => {
      if (!one.answers && !(canSignIn && one.demand)) return undefined;
      return {
        target: url,
        // What the server speaks is known, so the client need not find it out once more.
        options: { ...options, revision: options.revision ?? one.spoken[0] },
        signal,
        // After a sign-in, the server answers though it has refused all requests before.
        onConnected: revision => {
          if (!one.answers) one.spoken = [revision];
        },
      };
    }),
  ];
  try {
    await runChecks(checks, subject, report);
  } finally {
    const { answers, demand, spoken: revisions } = subject;
    learn({ answers, revisions, wantsToken: !answers && demand !== undefined });
    await subject.close();
  }
}

/** Examines a server that is a program. */
export async function examineProgram(
  command: Command,
  { report, limitMs, signal, options }: Circumstances,
  learn: (outcome: Outcome) => void,
): Promise<void> {
  const subject = new ProgramSubject(command, limitMs, signal);
  const visit = (one: ProgramSubject) =>
    one.spoken.length > 0
      ? { target: command, options: { ...options, revision: options.revision ?? one.spoken[0] }, signal }
      : undefined;
  const checks = [checkProgramRevisions, checkStart, checkNoise, checkHabits, checkAsClient(visit)];
  try {
    await runChecks(checks, subject, report);
  } finally {
    learn({ answers: subject.spoken.length > 0, revisions: subject.spoken, wantsToken: false });
    await subject.close();
  }
}
