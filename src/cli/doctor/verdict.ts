import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Finding } from './finding.js';

/** What is known at the end about how the server answers. */
export interface Outcome {
  /** Whether a revision or a transport answers. */
  readonly answers: boolean;
  /** The revisions that answer, newest first. */
  readonly revisions: readonly string[];
  /** Whether access is refused for want of a token. */
  readonly wantsToken: boolean;
}

export interface Verdict {
  readonly mark: 'ok' | 'warning' | 'error';
  readonly sentence: string;
  readonly exitCode: ExitCode;
}

/** Sums up what was found. */
export function judge(findings: readonly Finding[], { answers, wantsToken }: Outcome): Verdict {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first) {
    const more = errors.length > 1 ? ` (and ${count(errors.length - 1, 'more problem')})` : '';
    return { mark: 'error', sentence: `${first.title}${more}`, exitCode: codeOf(first, answers, wantsToken) };
  }
  if (wantsToken) {
    const sentence = 'a sign-in is needed, and everything for it is in place';
    return { mark: 'warning', sentence, exitCode: EXIT.signInNeeded };
  }
  if (!answers) {
    return { mark: 'error', sentence: 'no MCP server answers', exitCode: EXIT.cannotConnect };
  }
  const { length } = findings;
  return length === 0
    ? { mark: 'ok', sentence: 'nothing is wrong with this server', exitCode: EXIT.ok }
    : {
        mark: 'warning',
        sentence: `the server works; ${count(length, 'thing')} to improve`,
        exitCode: EXIT.ok,
      };
}

function codeOf({ cause }: Finding, answers: boolean, wantsToken: boolean): ExitCode {
  if (cause === 'token-refused') return EXIT.signInNeeded;
  if (cause === 'no-answer' || cause === 'time-limit') return EXIT.timedOut;
  return answers || wantsToken ? EXIT.differs : EXIT.cannotConnect;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
