import type { Check } from '../check.js';
import type { Finding } from '../finding.js';
import { pageOf } from '../spec-page.js';
import { lastWords } from './last-words.js';
import type { ProgramSubject } from './subject.js';

/** Hosts begin to give up after this. */
const SLOW_MS = 10_000;

/** Does the program start fast enough, and end when its input ends? */
export const checkHabits: Check<ProgramSubject> = {
  title: 'Program',
  applies: ({ spoken }) => spoken.length > 0,
  async run({ runs }, report) {
    const startMs = Math.max(...runs.map(({ firstMessageMs = 0 }) => firstMessageMs));
    const isSlow = startMs > SLOW_MS;
    if (isSlow) report.step({ mark: 'warning', what: 'it starts slowly', ms: startMs });
    const stays = runs.some(({ leftByItself }) => leftByItself === false);
    report.step({
      mark: stays ? 'warning' : 'ok',
      what: stays ? 'it does not end when its input ends' : 'it ends when its input ends',
    });
    const words = lastWords(runs.map(({ stderr }) => stderr).find(Boolean) ?? '');
    if (words) report.step({ mark: 'info', what: 'standard error', outcome: words.at(-1) });
    return [...(isSlow ? [slow(startMs)] : []), ...(stays ? [staysAlive()] : [])];
  },
};

function slow(startMs: number): Finding {
  return {
    cause: 'slow-start',
    severity: 'warning',
    title: `the program takes ${Math.round(startMs / 1000)} s to give its first answer`,
    detail: 'Hosts give up after 10 to 60 seconds.',
    todo: 'Load what is large after the first answer; install packages beforehand instead of by npx or uvx at each start.',
  };
}

function staysAlive(): Finding {
  return {
    cause: 'stays-alive',
    severity: 'warning',
    title: 'the program goes on when its input has ended, and has to be killed',
    page: pageOf('basic/transports/stdio#shutdown'),
    todo: 'End the program when standard input ends, so that none is left when a host crashes.',
  };
}
