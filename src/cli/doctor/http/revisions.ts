import { HANDSHAKE_REVISIONS, LATEST_REVISION } from 'tenon/protocol';
import type { Check } from '../check.js';
import { type Opened, openingFindings, showOff, showOpening, spokenIn } from '../opened.js';
import { DISCOVER } from '../opening.js';
import type { Report } from '../report.js';
import { readEvents } from './event-text.js';
import { describeExchange, type Exchange, isTimeout } from './exchange.js';
import { type Greeting, type HttpSubject, lacksScope } from './subject.js';

/** An HTTP+SSE server sends its first event at once, other streams may stay silent. */
const STREAM_MS = 3000;

/** Which revisions and transports answer? */
export const checkRevisions: Check<HttpSubject> = {
  title: 'Revisions',
  applies: ({ isReachable }) => isReachable,
  async run(subject, report) {
    const discovery = await subject.discover();
    subject.discovery = discovery;
    showOpening(asDiscovered(discovery), report);
    subject.spoken = spokenIn([asDiscovered(discovery)]);
    if (!isFinal(discovery)) await tryHandshake(subject, report);
    const openings = [asDiscovered(discovery), ...subject.greetings.map(asGreeted)];
    subject.spoken = spokenIn(openings);
    showOff(openings, report);
    if (!subject.answers && !subject.demand) report.step({ mark: 'error', what: 'no revision answers' });
    return openingFindings(openings, subject.spoken);
  },
};

/** Whether the answer is about access or the address, so that other openings would get the same. */
function isFinal(exchange: Exchange): boolean {
  const { status } = exchange;
  if (status === undefined) return !isTimeout(exchange);
  return status === 401 || lacksScope(exchange) || (status >= 300 && status < 400);
}

/** Tries the revisions that begin with `initialize`, then the transport of the first one. */
async function tryHandshake(subject: HttpSubject, report: Report): Promise<void> {
  const newest = await tryGreeting(subject, HANDSHAKE_REVISIONS[0] as string, report);
  const others = HANDSHAKE_REVISIONS.slice(1);
  // A server may refuse a revision that it does not know, instead of proposing another one.
  if (newest.exchange.answer) {
    for (const revision of others) await tryGreeting(subject, revision, report);
  } else if (!subject.answers && !isFinal(newest.exchange)) await tryStream(subject, report);
}

async function tryGreeting(subject: HttpSubject, revision: string, report: Report): Promise<Greeting> {
  const greeting = await subject.greet(revision);
  subject.greetings.push(greeting);
  // The first session is kept for the checks of sessions.
  if (subject.greeting !== greeting) await subject.leave(greeting.session);
  showOpening(asGreeted(greeting), report);
  return greeting;
}

/** Looks for the transport of the first revision, as clients do when POST is refused. */
async function tryStream(subject: HttpSubject, report: Report): Promise<void> {
  const stream = await subject.send({
    method: 'GET',
    headers: { accept: 'text/event-stream' },
    limitMs: Math.min(STREAM_MS, subject.limitMs),
    isEnough: body => readEvents(body).length > 0,
  });
  subject.stream = stream;
  subject.speaksSse = stream.status === 200 && readEvents(stream.body)[0]?.event === 'endpoint';
  const outcome = subject.speaksSse ? 'GET opens its stream' : `GET: ${describeExchange(stream)}`;
  report.step({ mark: subject.speaksSse ? 'ok' : 'info', what: 'HTTP+SSE', outcome, ms: stream.ms });
}

function asDiscovered(exchange: Exchange): Opened {
  return {
    method: DISCOVER,
    revision: LATEST_REVISION,
    agreed: undefined,
    hasSession: false,
    ...told(exchange),
  };
}

function asGreeted({ revision, agreed, session, exchange }: Greeting): Opened {
  return { method: 'initialize', revision, agreed, hasSession: session !== undefined, ...told(exchange) };
}

function told(exchange: Exchange): Pick<Opened, 'answer' | 'outcome' | 'ms'> {
  return { answer: exchange.answer, outcome: describeExchange(exchange), ms: exchange.ms };
}
