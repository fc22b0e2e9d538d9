import { LATEST_REVISION, readDiscoverResult, SUPPORTED_REVISIONS } from 'tenon/protocol';
import type { Answer } from './answer.js';
import { discoveryFaults, greetingFaults, invalidAnswer } from './answer-faults.js';
import type { Finding } from './finding.js';
import { DISCOVER } from './opening.js';
import type { Report } from './report.js';
import { refusesAll, refusesRevision, unknownRevision } from './version-findings.js';

/** How a server, at a URL or as a program, answered the first request of a revision. */
export interface Opened {
  readonly method: string;
  readonly revision: string;
  /** The revision that the server answered `initialize` with. */
  readonly agreed: string | undefined;
  readonly answer: Answer | undefined;
  /** What came back, in a few words. */
  readonly outcome: string;
  readonly hasSession: boolean;
  readonly ms: number;
}

/** Adds an opening to the report: whether the revision is spoken, or what came back instead. */
export function showOpening(opened: Opened, report: Report): void {
  const { revision, ms } = opened;
  report.step({
    mark: isSpokenIn(opened) ? 'ok' : 'info',
    what: revision,
    outcome: opened.method === DISCOVER ? describeDiscovery(opened) : describeGreeting(opened),
    ms,
  });
}

/** The revisions that a server has agreed to, newest first. */
export function spokenIn(openings: readonly Opened[]): string[] {
  const spoken = new Set(openings.filter(isSpokenIn).map(({ revision }) => revision));
  return SUPPORTED_REVISIONS.filter(revision => spoken.has(revision));
}

/** Adds which revisions are off: the server answers, but not in these. */
export function showOff(openings: readonly Opened[], report: Report): void {
  const off = openings.filter(opened => opened.answer && !isSpokenIn(opened)).map(({ revision }) => revision);
  if (off.length === 0 || !openings.some(isSpokenIn)) return;
  const outcome = `${off.join(', ')}: clients that speak nothing else cannot use the server`;
  report.step({ mark: 'info', what: 'off', outcome });
}

/** What is wrong with the answers to openings. */
export function openingFindings(openings: readonly Opened[], spoken: readonly string[]): Finding[] {
  const proposed = openings.flatMap(({ agreed }) => agreed ?? []);
  const discovery = openings.find(({ method }) => method === DISCOVER);
  const greetings = openings.filter(({ method }) => method !== DISCOVER);
  const refused = greetings.find(({ answer }) => answer?.error);
  return [
    ...openings.flatMap(faultsOf),
    ...(refused && proposed.length > 0 ? refusesRevision(refused.revision, refused.answer) : []),
    ...(spoken.length > 0 ? [] : nothingSpoken(proposed, discovery, greetings)),
  ];
}

function nothingSpoken(
  proposed: readonly string[],
  discovery: Opened | undefined,
  greetings: readonly Opened[],
): Finding[] {
  const unknown = unknownRevision(proposed, discovery?.answer);
  return unknown.length > 0 ? unknown : refusesAll(greetings.map(({ answer }) => answer));
}

function isSpokenIn({ method, revision, agreed, answer }: Opened): boolean {
  if (method !== DISCOVER) return agreed === revision;
  return revision === LATEST_REVISION && readDiscoverResult(answer?.result) !== undefined;
}

function describeDiscovery({ answer, outcome }: Opened): string {
  const discovery = readDiscoverResult(answer?.result);
  return discovery ? `speaks ${discovery.supportedVersions.join(', ')}` : `${DISCOVER}: ${outcome}`;
}

function describeGreeting({ revision, agreed, hasSession, outcome }: Opened): string {
  if (agreed === undefined) return `initialize: ${outcome}`;
  if (agreed !== revision) return `not spoken; the server proposes ${agreed}`;
  return `initialize${hasSession ? ', with a session' : ''}`;
}

function faultsOf({ method, revision, agreed, answer }: Opened): Finding[] {
  if (!answer?.result || (method !== DISCOVER && agreed !== revision)) return [];
  const faults = method === DISCOVER ? discoveryFaults(answer.result) : greetingFaults(answer.result);
  return invalidAnswer(method, revision, [...answer.faults, ...faults]);
}
