import type { JsonObject } from 'tenon/protocol';
import type { Check } from '../check.js';
import type { Finding } from '../finding.js';
import { INITIALIZED } from '../opening.js';
import type { Report } from '../report.js';
import { handshakePageOf } from '../spec-page.js';
import { describeExchange, type Exchange } from './exchange.js';
import { brief } from './host.js';
import type { Greeting, HttpSubject } from './subject.js';
import { sessionHeaders } from './subject.js';

/** Enough to meet another node behind a load balancer. */
const PINGS = 4;
const SESSIONS = handshakePageOf('basic/transports#session-management');

/** Does the server still know a session with the next request, and forget it when it is ended? */
export const checkSession: Check<HttpSubject> = {
  title: 'Session',
  applies: ({ greeting, spoken }) => greeting !== undefined && spoken.length > 0,
  async run(subject, report) {
    const greeting = subject.greeting as Greeting;
    const lost = await use(subject, greeting, report);
    if (lost.length > 0) return lost;
    if (greeting.session) return end(subject, greeting, report);
    report.step({ mark: 'info', what: 'the server keeps no session' });
    return [];
  },
};

/** Sends what a client sends next, each on a connection of its own. */
async function use(subject: HttpSubject, { agreed, session }: Greeting, report: Report): Promise<Finding[]> {
  const revision = agreed as string;
  const notified = await subject.sendIn(session, revision, INITIALIZED);
  const isAccepted = notified.status !== undefined && notified.status < 300;
  report.step({
    mark: isAccepted ? 'ok' : 'error',
    what: 'notifications/initialized',
    outcome: isAccepted ? `${notified.status}` : describeExchange(notified),
    ms: notified.ms,
  });
  const pings: Exchange[] = [];
  for (let id = 2; id < 2 + (session ? PINGS : 1); id++) {
    pings.push(await subject.sendIn(session, revision, ping(id)));
  }
  const failed = pings.filter(({ answer, status }) => !answer || status === undefined || status >= 400);
  const ms = pings.reduce((sum, one) => sum + one.ms, 0) / pings.length;
  const outcome = failed[0] ? `${failed.length} failed: ${describeExchange(failed[0])}` : 'answered';
  const what = pings.length === 1 ? 'ping' : `${pings.length} pings`;
  report.step({ mark: failed.length > 0 ? 'error' : 'ok', what, outcome, ms });
  const first = isAccepted ? failed[0] : notified;
  if (!first) return [];
  return [session ? lostSession(first, failed.length, pings.length) : refusal(first, revision)];
}

function ping(id: number): JsonObject {
  return { jsonrpc: '2.0', id, method: 'ping' };
}

function lostSession(answer: Exchange, failed: number, all: number): Finding {
  const said = brief(answer.body);
  return {
    cause: 'session-lost',
    severity: 'error',
    title:
      failed < all
        ? `the session is lost in ${Math.max(1, failed)} of ${all} requests`
        : 'the session is lost right after initialize',
    detail: `A request with its session id was answered with ${describeExchange(answer)}${said && `: ${said}`}`,
    page: SESSIONS,
    todo: 'If the server runs as several processes or is started per request, let them share sessions, route a session always to the same one, or serve without sessions.',
  };
}

function refusal(answer: Exchange, revision: string): Finding {
  return {
    cause: 'invalid-answer',
    severity: 'error',
    title: 'the server does not accept requests after initialize',
    detail: `A request with MCP-Protocol-Version: ${revision} was answered with ${describeExchange(answer)}`,
    page: handshakePageOf('basic/transports#protocol-version-header'),
    todo: 'Look into the log of the server. It must accept the revision that it has agreed to.',
  };
}

/** Ends the session, and asks for it once more. */
async function end(subject: HttpSubject, greeting: Greeting, report: Report): Promise<Finding[]> {
  const { session } = greeting;
  const ended = await subject.leave(session);
  if (!session || ended?.status === undefined) return [];
  if (ended.status >= 300) {
    const outcome = ended.status === 405 ? '405: clients may not end sessions' : describeExchange(ended);
    report.step({ mark: 'info', what: 'DELETE', outcome, ms: ended.ms });
    return [];
  }
  report.step({ mark: 'ok', what: 'DELETE ends the session', ms: ended.ms });
  const after = await subject.send({ message: ping(99), headers: sessionHeaders(session, session.revision) });
  const isRight = after.status === 404;
  report.step({
    mark: isRight ? 'ok' : 'warning',
    what: 'ping after the end',
    outcome: describeExchange(after),
  });
  if (isRight) return [];
  return [
    {
      cause: 'session-rules',
      severity: 'warning',
      title: `the server answers requests of an ended session with ${after.status} instead of 404`,
      detail:
        'Clients begin a new session only after a 404; with another status they stay broken when the server restarts.',
      page: SESSIONS,
      todo: 'Answer requests with an unknown session id with 404.',
    },
  ];
}
