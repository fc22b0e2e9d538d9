import { HANDSHAKE_REVISIONS, HEADER, LATEST_REVISION } from 'tenon/protocol';
import type { Check } from '../check.js';
import type { Finding } from '../finding.js';
import { envelopeRequest, INITIALIZED } from '../opening.js';
import type { Report } from '../report.js';
import { handshakePageOf, pageOf } from '../spec-page.js';
import { readEvents } from './event-text.js';
import { describeExchange, type Exchange, isTimeout } from './exchange.js';
import { type HttpSubject, sessionHeaders } from './subject.js';

const LISTEN = 'subscriptions/listen';

/** Do events arrive while a stream is open? Proxies that collect a response first keep them until its end. */
export const checkStreams: Check<HttpSubject> = {
  title: 'Streams',
  applies: ({ spoken }) => spoken.length > 0,
  async run(subject, report) {
    if (subject.spoken.includes(LATEST_REVISION)) return checkListening(subject, report);
    return checkNotifications(subject, report);
  },
};

/** A server without handshakes acknowledges at once that a client listens. */
async function checkListening(subject: HttpSubject, report: Report): Promise<Finding[]> {
  const opening = envelopeRequest(LATEST_REVISION, LISTEN);
  const params = { ...(opening.params as object), notifications: { toolsListChanged: true } };
  const exchange = await subject.send({
    message: { ...opening, params },
    headers: { [HEADER.protocolVersion]: LATEST_REVISION, [HEADER.method]: LISTEN },
    isEnough: body => readEvents(body).some(({ data }) => data !== ''),
  });
  const page = pageOf('basic/transports/streamable-http#receiving-messages');
  return judge(LISTEN, exchange, page, report);
}

/** A server with handshakes answers GET at once, with a stream or with 405. */
async function checkNotifications(subject: HttpSubject, report: Report): Promise<Finding[]> {
  const spoken = HANDSHAKE_REVISIONS.find(revision => subject.spoken.includes(revision)) as string;
  const { session } = await subject.greet(spoken);
  await subject.sendIn(session, spoken, INITIALIZED);
  const exchange = await subject.send({
    method: 'GET',
    headers: { accept: 'text/event-stream', ...sessionHeaders(session, spoken) },
    onlyHeaders: true,
  });
  const page = handshakePageOf('basic/transports#listening-for-messages-from-the-server');
  const findings = judge('GET', exchange, page, report);
  await subject.leave(session);
  return findings;
}

function judge(what: string, exchange: Exchange, page: string, report: Report): Finding[] {
  const { ms } = exchange;
  if (!isTimeout(exchange)) {
    const isOpen = exchange.status === 200;
    const outcome = isOpen ? 'events arrive while the stream is open' : describeExchange(exchange);
    report.step({ mark: isOpen ? 'ok' : 'info', what, outcome, ms });
    return [];
  }
  report.step({ mark: 'error', what, outcome: 'nothing arrives while the stream is open', ms });
  return [
    {
      cause: 'buffered',
      severity: 'error',
      title: `streams are held back: nothing of the answer to ${what} arrives while it is open`,
      detail:
        'Questions of the server, progress and notifications come too late or never. Usually a proxy in front of the server collects a response until its end.',
      page,
      todo: 'Turn buffering and compression off for this path (nginx: proxy_buffering off; gzip off;), or send X-Accel-Buffering: no. Without a proxy, let the server send the headers of a stream at once.',
    },
  ];
}
