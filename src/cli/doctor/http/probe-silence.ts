import { LATEST_REVISION } from 'tenon/protocol';
import type { Check } from '../check.js';
import { DISCOVER } from '../opening.js';
import { pageOf } from '../spec-page.js';
import { describeExchange, isTimeout } from './exchange.js';
import type { HttpSubject } from './subject.js';

/** Does the server answer a request that it does not know? Clients find out its revision in this way. */
export const checkProbe: Check<HttpSubject> = {
  title: 'Revisions',
  applies: ({ answers, discovery }) => answers && discovery !== undefined,
  async run({ discovery }, report) {
    if (!discovery || discovery.answer?.result) return [];
    const page = pageOf('basic/transports/streamable-http#backward-compatibility');
    if (isTimeout(discovery)) {
      report.step({ mark: 'error', what: `${DISCOVER} is not answered at all` });
      return [
        {
          cause: 'hangs-on-probe',
          severity: 'error',
          title: `the server does not answer ${DISCOVER}, only initialize`,
          detail: `Clients that speak ${LATEST_REVISION} send it first, and wait until their time limit before they try initialize.`,
          page,
          todo: 'Answer unknown methods with the error -32601, or with the status 400.',
        },
      ];
    }
    const { status = 0 } = discovery;
    if (status >= 400 && status < 500) return [];
    if (discovery.answer?.error) return [];
    report.step({ mark: 'warning', what: `${DISCOVER}: ${describeExchange(discovery)}` });
    return [
      {
        cause: 'invalid-answer',
        severity: 'warning',
        title: `the server answers an unknown method with ${describeExchange(discovery)}`,
        detail: 'Some clients take this for a failure, and do not try initialize.',
        page,
        todo: 'Answer unknown methods with the error -32601, or with the status 400.',
      },
    ];
  },
};
