import type { Check } from '../check.js';
import type { Finding } from '../finding.js';
import { DISCOVER } from '../opening.js';
import { pageOf } from '../spec-page.js';
import { headline, lastWords } from './last-words.js';
import type { Run } from './run.js';
import type { Opening, ProgramSubject } from './subject.js';

const PAGE = pageOf('basic/transports/stdio');

/** Does the program start, stay, and answer? */
export const checkStart: Check<ProgramSubject> = {
  title: 'Program',
  async run({ command, openings, spoken, limitMs }, report) {
    const [discovery, greeting] = openings as [Opening, Opening | undefined];
    const { startError } = discovery.run;
    if (startError) return [cannotStart(startError, command.command)];
    // A server may end at the one request, and answer the other.
    const dead = [discovery, greeting].find(opening => opening?.reply.failure === 'ended');
    if (dead) {
      report.step({
        mark: 'error',
        what: `it ${dead.run.end}`,
        outcome: `at ${dead.method}`,
        ms: dead.reply.ms,
      });
      return [spoken.length > 0 ? diesAtProbe(dead) : dies(dead)];
    }
    if (greeting?.reply.answer === undefined && !discovery.reply.answer) {
      return [silent(discovery.run, limitMs)];
    }
    if (!discovery.reply.answer) {
      report.step({ mark: 'error', what: `${DISCOVER} is not answered at all` });
      return [hangs()];
    }
    report.step({ mark: 'ok', what: 'it starts and answers', ms: discovery.run.firstMessageMs });
    const late = openings.find(({ reply }) => !reply.answer);
    return late && spoken.length === 0 ? [unsteady(late, limitMs)] : [];
  },
};

function cannotStart({ code, message }: NodeJS.ErrnoException, command: string): Finding {
  const isMissing = code === 'ENOENT';
  return {
    cause: 'cannot-start',
    severity: 'error',
    title: isMissing ? `there is no program "${command}"` : `"${command}" cannot be started`,
    detail: message,
    todo: isMissing
      ? 'Install it, or write its full path; hosts often have a shorter PATH than your shell.'
      : 'Check that the file may be executed, and that its folder exists.',
  };
}

function dies({ run }: Opening): Finding {
  const words = lastWords(run.stderr);
  const isDone = run.end === 'exited with code 0';
  return {
    cause: 'dies',
    severity: 'error',
    title: `the program ${run.end} before it answered${words ? `: ${headline(words)}` : ''}`,
    detail: words
      ? `Its last words on standard error:\n${words.join('\n')}`
      : noise(run) || 'It wrote nothing to standard error.',
    page: PAGE,
    todo: isDone
      ? 'Check that it is a server, and whether it needs an argument such as "stdio" to be one.'
      : words
        ? 'Correct what the program reports; often an argument or an environment variable is missing.'
        : 'Run the program by itself to see why it ends; often an argument or an environment variable is missing.',
  };
}

function noise({ noise }: Run): string {
  return noise.length > 0 ? `It wrote to standard output: ${noise[0]}` : '';
}

function diesAtProbe({ run, method }: Opening): Finding {
  return {
    cause: 'dies',
    severity: 'error',
    title: `the program ${run.end} at ${method}`,
    detail: lastWords(run.stderr)?.join('\n'),
    page: pageOf('basic/transports/stdio#backward-compatibility'),
    todo: 'Answer methods that are unknown with the error -32601; clients have to start the program again otherwise.',
  };
}

function silent(run: Run, limitMs: number): Finding {
  const words = lastWords(run.stderr);
  return {
    cause: 'no-answer',
    severity: 'error',
    title: `the program runs, but answers nothing within ${limitMs / 1000} s`,
    detail: words ? `Its last words on standard error:\n${words.join('\n')}` : noise(run) || undefined,
    page: PAGE,
    todo: 'Check that it serves stdio and not HTTP; give it more time with --timeout SECONDS if it starts slowly.',
  };
}

/** It has answered other starts, but not that of the revision that it proposes. */
function unsteady({ method, revision }: Opening, limitMs: number): Finding {
  return {
    cause: 'no-answer',
    severity: 'error',
    title: `the program answers, but not always: ${method} of ${revision} got no answer within ${limitMs / 1000} s`,
    page: PAGE,
    todo: 'Give it more time with --timeout SECONDS if it starts slowly; otherwise look into its log.',
  };
}

function hangs(): Finding {
  return {
    cause: 'hangs-on-probe',
    severity: 'error',
    title: `the server does not answer ${DISCOVER}, only initialize`,
    detail: 'Newer clients send it first, and wait until their time limit before they try initialize.',
    page: pageOf('basic/transports/stdio#backward-compatibility'),
    todo: 'Answer methods that are unknown with the error -32601.',
  };
}
