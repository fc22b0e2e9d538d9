import { plainLine } from '../../terminal/plain-text.js';
import type { Check } from '../check.js';
import { pageOf } from '../spec-page.js';
import type { ProgramSubject } from './subject.js';

const EXAMPLES = 3;

/** Does the program write anything but messages to standard output? */
export const checkNoise: Check<ProgramSubject> = {
  title: 'Program',
  applies: ({ spoken }) => spoken.length > 0,
  async run({ runs }, report) {
    const lines = [...new Set(runs.flatMap(({ noise }) => noise))].map(plainLine);
    const [first] = lines;
    if (first === undefined) {
      report.step({ mark: 'ok', what: 'only messages on standard output' });
      return [];
    }
    report.step({ mark: 'error', what: 'noise on standard output', outcome: first });
    return [
      {
        cause: 'stdout-noise',
        severity: 'error',
        title: `the program writes to standard output what is no message: ${first}`,
        detail: lines.length > 1 ? `Also: ${lines.slice(1, 1 + EXAMPLES).join(' | ')}` : undefined,
        page: pageOf('basic/transports/stdio'),
        todo: 'Write logs to standard error (console.error, logging to sys.stderr); many clients break on other lines.',
      },
    ];
  },
};
