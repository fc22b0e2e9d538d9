import {
  HANDSHAKE_REVISIONS,
  LATEST_REVISION,
  readDiscoverResult,
  SUPPORTED_REVISIONS,
} from 'tenon/protocol';
import { discoveryFaults, greetingFaults, invalidAnswer } from '../answer-faults.js';
import type { Check } from '../check.js';
import type { Finding } from '../finding.js';
import { DISCOVER } from '../opening.js';
import type { Report } from '../report.js';
import { refusesRevision, unknownRevision } from '../version-findings.js';
import { readEvents } from './event-text.js';
import { describeExchange, type Exchange, isTimeout } from './exchange.js';
import type { Greeting, HttpSubject } from './subject.js';

/** An HTTP+SSE server sends its first event at once, other streams may stay silent. */
const STREAM_MS = 3000;

/** Which revisions and transports answer? */
export const checkRevisions: Check<HttpSubject> = {
  title: 'Revisions',
  applies: ({ isReachable }) => isReachable,
  async run(subject, report) {
    const findings = await tryDiscovery(subject, report);
    if (!isFinal(subject.discovery)) findings.push(...(await tryHandshake(subject, report)));
    if (!subject.answers && !subject.demand) report.step({ mark: 'error', what: 'no revision answers' });
    return findings;
  },
};

/** Whether the answer is about access or the address, so that other openings would get the same. */
function isFinal(exchange: Exchange | undefined): boolean {
  const status = exchange?.status;
  if (status === undefined) return exchange !== undefined && !isTimeout(exchange);
  return status === 401 || (status >= 300 && status < 400);
}

async function tryDiscovery(subject: HttpSubject, report: Report): Promise<Finding[]> {
  const exchange = await subject.discover();
  subject.discovery = exchange;
  const { answer, ms } = exchange;
  const discovery = readDiscoverResult(answer?.result);
  if (discovery) subject.spoken = [LATEST_REVISION];
  const outcome = discovery
    ? `speaks ${discovery.supportedVersions.join(', ')}`
    : `${DISCOVER}: ${describeExchange(exchange)}`;
  report.step({ mark: discovery ? 'ok' : 'info', what: LATEST_REVISION, outcome, ms });
  const faults = answer?.result ? [...answer.faults, ...discoveryFaults(answer.result)] : [];
  return invalidAnswer(DISCOVER, LATEST_REVISION, faults);
}

/** Tries the revisions that begin with `initialize`, then the transport of the first one. */
async function tryHandshake(subject: HttpSubject, report: Report): Promise<Finding[]> {
  const newest = await tryGreeting(subject, HANDSHAKE_REVISIONS[0] as string, report);
  const others = HANDSHAKE_REVISIONS.slice(1);
  // A server may refuse a revision that it does not know, instead of proposing another one.
  if (newest.exchange.answer) {
    for (const revision of others) await tryGreeting(subject, revision, report);
  } else if (!subject.answers && !isFinal(newest.exchange)) await tryStream(subject, report);
  subject.spoken = SUPPORTED_REVISIONS.filter(revision => isSpoken(revision, subject));
  return [...subject.greetings.flatMap(faultsOf), ...mismatches(subject)];
}

async function tryGreeting(subject: HttpSubject, revision: string, report: Report): Promise<Greeting> {
  const greeting = await subject.greet(revision);
  const { exchange, agreed, session } = greeting;
  subject.greetings.push(greeting);
  // The first session is kept for the checks of sessions.
  if (subject.greeting !== greeting) await subject.leave(session);
  const isAgreed = agreed === revision;
  const outcome =
    agreed === undefined
      ? `initialize: ${describeExchange(exchange)}`
      : isAgreed
        ? `initialize${session ? ', with a session' : ''}`
        : `not spoken; the server proposes ${agreed}`;
  report.step({ mark: isAgreed ? 'ok' : 'info', what: revision, outcome, ms: exchange.ms });
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

function isSpoken(revision: string, { discovery, greetings }: HttpSubject): boolean {
  if (greetings.some(({ agreed }) => agreed === revision)) return true;
  return revision === LATEST_REVISION && readDiscoverResult(discovery?.answer?.result) !== undefined;
}

function faultsOf({ revision, exchange, agreed }: Greeting): Finding[] {
  const { answer } = exchange;
  if (!answer?.result || agreed !== revision) return [];
  return invalidAnswer('initialize', revision, [...answer.faults, ...greetingFaults(answer.result)]);
}

function mismatches({ greetings, discovery, spoken }: HttpSubject): Finding[] {
  const proposed = greetings.flatMap(({ agreed }) => agreed ?? []);
  const refused = greetings.find(({ exchange }) => exchange.answer?.error);
  return [
    ...unknownRevision(proposed, discovery?.answer, spoken),
    ...(refused && proposed.length > 0 ? refusesRevision(refused.revision, refused.exchange.answer) : []),
  ];
}
