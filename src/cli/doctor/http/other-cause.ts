import type { Check } from '../check.js';
import type { Finding } from '../finding.js';
import { pageOf } from '../spec-page.js';
import { describeExchange, type Exchange, isTimeout } from './exchange.js';
import { brief } from './host.js';
import { isUnexplained } from './redirect.js';
import type { HttpSubject } from './subject.js';

/** Why does no revision answer, if it is neither the address nor access? */
export const checkOtherCause: Check<HttpSubject> = {
  title: 'Cause',
  applies: isUnexplained,
  async run(subject, report) {
    // A version that nobody knows has been reported.
    if (report.findings.some(({ severity }) => severity === 'error')) return [];
    const answer = subject.greetings[0]?.exchange ?? subject.firstAnswer;
    return answer ? [explain(answer)] : [];
  },
};

function explain(answer: Exchange): Finding {
  const { status, failure, body } = answer;
  const said = brief(body);
  const detail = `The last answer: ${describeExchange(answer)}${said && `: ${said}`}`;
  const finding = { severity: 'error', detail } as const;
  if (isTimeout(answer)) {
    return {
      ...finding,
      cause: 'no-answer',
      title: 'the server accepts connections, but does not answer',
      todo: 'Look into its log; give it more time with --timeout SECONDS if it is slow.',
    };
  }
  if (status === undefined) {
    return {
      ...finding,
      cause: 'unreachable',
      title: `the connection breaks: ${failure?.message}`,
      todo: 'Look into the log of the server, and of proxies in front of it; https:// may be needed instead of http://.',
    };
  }
  if (status === 403) {
    return {
      ...finding,
      cause: 'forbidden',
      title: 'the server refuses access (403)',
      todo: 'Check the token and its scopes, and which hosts, origins or networks the server allows.',
    };
  }
  if (status >= 500) {
    return {
      ...finding,
      cause: 'server-error',
      title: `the server, or a proxy in front of it, fails (${status})`,
      todo: 'Look into the log of the server and of the proxy.',
    };
  }
  return {
    ...finding,
    cause: 'not-mcp',
    title: `the server answers (${status}), but not as an MCP server does`,
    page: pageOf('basic/transports/streamable-http#sending-messages'),
    todo: 'Check that the URL is the one of the MCP endpoint.',
  };
}
