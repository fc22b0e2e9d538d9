import type { Cli } from '../cli.js';
import { addressOf, type ConnectionFlags, connectOptions } from '../connection.js';
import { usageError } from '../failure.js';
import type { Target } from '../target.js';
import { plainText } from '../terminal/plain-text.js';
import { ProgressLine } from '../terminal/progress-line.js';
import { type Circumstances, examineProgram, examineUrl } from './examine.js';
import type { Finding } from './finding.js';
import { isLoopback } from './http/loopback.js';
import { ReportPrinter } from './print-report.js';
import { Report } from './report.js';
import { judge, type Outcome } from './verdict.js';

const ANSWER_SECONDS = 10;
/** How many slow answers an examination waits for. */
const SLOW_ANSWERS = 6;

export interface DoctorFlags extends ConnectionFlags {
  readonly origin?: string;
}

/** Examines a target, and prints what was found. Sets the exit code. */
export async function runDoctor(target: Target, flags: DoctorFlags, cli: Cli): Promise<void> {
  const { output } = cli;
  const start = performance.now();
  const seconds = flags.timeout ?? ANSWER_SECONDS;
  const printer = output.isJson ? undefined : new ReportPrinter(output);
  const progress = new ProgressLine(output, 'examining …');
  const report = new Report((step, section) => {
    progress.hide();
    printer?.step(step, section);
    progress.show();
  });
  printer?.title(target.label);
  progress.show();
  const limit = AbortSignal.timeout(seconds * SLOW_ANSWERS * 1000);
  let outcome: Outcome = { answers: false, revisions: [], wantsToken: false };
  try {
    const { onStatus: _, ...options } = await connectOptions(cli, target, { ...flags, timeout: seconds });
    const signal = AbortSignal.any([cli.signal, limit]);
    const circumstances = { report, limitMs: seconds * 1000, signal, options };
    await examine({ ...target, address: addressOf(target, cli) }, flags, circumstances, known => {
      outcome = known;
    });
  } catch (error) {
    if (cli.signal.aborted || !limit.aborted) throw error;
    report.add([timeIsUp(seconds * SLOW_ANSWERS)]);
  } finally {
    progress.hide();
  }
  const verdict = judge(report.findings, outcome);
  const ms = performance.now() - start;
  if (printer) printer.end(verdict, sorted(report.findings), ms);
  else output.json(toJson(target, report, { verdict, revisions: outcome.revisions }, ms));
  cli.exitCode = verdict.exitCode;
}

function examine(
  { address, headers }: Target,
  flags: DoctorFlags,
  circumstances: Circumstances,
  learn: (outcome: Outcome) => void,
): Promise<void> {
  if (typeof address !== 'string') return examineProgram(address, circumstances, learn);
  const access = {
    headers: { ...headers, ...flags.header },
    token: flags.bearer,
    origin: flags.origin,
    canSignIn: flags.signIn === true,
  };
  const url = new URL(address);
  refuseInClearText(url, access.token);
  return examineUrl(url, access, circumstances, learn);
}

/** The client of the SDK refuses this, too, but only after the first probes. */
function refuseInClearText(url: URL, token: string | undefined): void {
  if (token === undefined || url.protocol === 'https:' || isLoopback(url)) return;
  throw usageError(`the token would be sent to ${url.host} in clear text`, 'Use https://, or no token.');
}

function timeIsUp(seconds: number): Finding {
  return {
    cause: 'time-limit',
    severity: 'error',
    title: `not everything could be checked within ${seconds} s`,
    todo: 'Give it more time with --timeout SECONDS.',
  };
}

/** What keeps clients from working comes first. */
function sorted(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'));
}

function toJson({ label }: Target, { sections, findings }: Report, summary: object, ms: number): object {
  const text = JSON.stringify({
    target: label,
    ...summary,
    findings: sorted(findings),
    sections: sections.map(({ title, steps }) => ({ title, steps })),
    ms,
  });
  return JSON.parse(text, (key, value) => {
    if (key === 'ms') return Math.round(value);
    return typeof value === 'string' ? plainText(value) : value;
  });
}
