import { ERROR, HEADER, LATEST_REVISION } from 'tenon/protocol';
import type { Check } from '../check.js';
import type { Finding } from '../finding.js';
import { pageOf } from '../spec-page.js';
import { describeExchange, type Exchange } from './exchange.js';
import type { HttpSubject } from './subject.js';

/** Comes before every revision. */
const NO_REVISION = '0';

/** Does the server compare headers with the message, and refuse revisions that it does not speak? */
export const checkHeaderRules: Check<HttpSubject> = {
  title: 'Rules of the transport',
  applies: ({ spoken }) => spoken.includes(LATEST_REVISION),
  async run(subject, report) {
    const mismatch = await subject.discover({ [HEADER.method]: 'tools/list' });
    const unknown = await subject.discover({}, undefined, NO_REVISION);
    const judge = (what: string, exchange: Exchange, code: number, anchor: string): Finding[] => {
      const isRight = exchange.status === 400 && exchange.answer?.error?.code === code;
      const outcome = describeExchange(exchange);
      report.step({ mark: isRight ? 'ok' : 'warning', what, outcome, ms: exchange.ms });
      return isRight ? [] : [finding(what, outcome, code, anchor)];
    };
    return [
      ...judge('Mcp-Method unlike the message', mismatch, ERROR.headerMismatch, 'server-validation'),
      ...judge('an unknown revision', unknown, ERROR.unsupportedVersion, 'protocol-version-header'),
    ];
  },
};

function finding(what: string, outcome: string, code: number, anchor: string): Finding {
  return {
    cause: 'header-rules',
    severity: 'warning',
    title: `the server does not refuse ${what} as ${LATEST_REVISION} wants it`,
    detail: `Its answer: ${outcome}. It should be 400 with error ${code}.`,
    page: pageOf(`basic/transports/streamable-http#${anchor}`),
    todo: 'Update the SDK of the server; proxies may rely on these headers.',
  };
}
