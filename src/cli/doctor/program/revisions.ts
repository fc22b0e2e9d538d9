import {
  HANDSHAKE_REVISIONS,
  LATEST_REVISION,
  readDiscoverResult,
  SUPPORTED_REVISIONS,
} from 'tenon/protocol';
import { describeAnswer } from '../answer.js';
import { discoveryFaults, greetingFaults, invalidAnswer } from '../answer-faults.js';
import type { Check } from '../check.js';
import type { Finding } from '../finding.js';
import { DISCOVER } from '../opening.js';
import type { Report } from '../report.js';
import { refusesRevision, unknownRevision } from '../version-findings.js';
import type { Opening, ProgramSubject } from './subject.js';

/** Programs that take longer than this to answer are not started for each of the older revisions. */
const QUICK_MS = 3000;

/** Which revisions answer? The program is started anew for each. */
export const checkProgramRevisions: Check<ProgramSubject> = {
  title: 'Revisions',
  async run(subject, report) {
    const discovery = await subject.discover();
    showDiscovery(discovery, report);
    if (discovery.run.startError) return [];
    const newest = await subject.greet(HANDSHAKE_REVISIONS[0] as string);
    showGreeting(newest, report);
    if (newest.reply.answer) await tryOthers(subject, newest.reply.ms, report);
    subject.spoken = SUPPORTED_REVISIONS.filter(revision => isSpoken(revision, subject.openings));
    return [...subject.openings.flatMap(faultsOf), ...mismatches(subject)];
  },
};

async function tryOthers(subject: ProgramSubject, startMs: number, report: Report): Promise<void> {
  const others = HANDSHAKE_REVISIONS.slice(1);
  if (startMs > QUICK_MS) {
    const what = `${others.join(', ')} were not tried, because the program starts slowly`;
    return report.step({ mark: 'info', what });
  }
  for (const revision of others) showGreeting(await subject.greet(revision), report);
}

function showDiscovery(opening: Opening, report: Report): void {
  const discovery = readDiscoverResult(opening.reply.answer?.result);
  report.step({
    mark: discovery ? 'ok' : 'info',
    what: LATEST_REVISION,
    outcome: discovery
      ? `speaks ${discovery.supportedVersions.join(', ')}`
      : `${DISCOVER}: ${describe(opening)}`,
    ms: opening.reply.ms,
  });
}

function showGreeting(opening: Opening, report: Report): void {
  const { revision, agreed, reply } = opening;
  const outcome =
    agreed === undefined
      ? `initialize: ${describe(opening)}`
      : agreed === revision
        ? 'initialize'
        : `not spoken; the server proposes ${agreed}`;
  report.step({ mark: agreed === revision ? 'ok' : 'info', what: revision, outcome, ms: reply.ms });
}

function describe({ reply, run }: Opening): string {
  if (reply.answer) return describeAnswer(reply.answer);
  return reply.failure === 'ended' ? `it ${run.end}` : 'no answer';
}

function isSpoken(revision: string, openings: readonly Opening[]): boolean {
  return openings.some(({ method, agreed, reply }) =>
    method === DISCOVER
      ? revision === LATEST_REVISION && readDiscoverResult(reply.answer?.result) !== undefined
      : agreed === revision,
  );
}

function faultsOf({ method, revision, agreed, reply }: Opening): Finding[] {
  const { answer } = reply;
  if (!answer?.result || (method !== DISCOVER && agreed !== revision)) return [];
  const faults = method === DISCOVER ? discoveryFaults(answer.result) : greetingFaults(answer.result);
  return invalidAnswer(method, revision, [...answer.faults, ...faults]);
}

function mismatches({ openings, discovery, spoken }: ProgramSubject): Finding[] {
  const proposed = openings.flatMap(({ agreed }) => agreed ?? []);
  const refused = openings.find(({ method, reply }) => method !== DISCOVER && reply.answer?.error);
  return [
    ...unknownRevision(proposed, discovery?.reply.answer, spoken),
    ...(refused && proposed.length > 0 ? refusesRevision(refused.revision, refused.reply.answer) : []),
  ];
}
