import { ERROR, SUPPORTED_REVISIONS } from 'tenon/protocol';
import { isObject } from '../is-object.js';
import type { Answer } from './answer.js';
import type { Finding } from './finding.js';
import { handshakePageOf, pageOf } from './spec-page.js';

/** A server that proposes only revisions that do not exist, or that are unknown here. */
export function unknownRevision(proposed: readonly string[], discovery: Answer | undefined): Finding[] {
  const own = [...new Set([...proposed, ...supportedIn(discovery)])].filter(
    revision => !SUPPORTED_REVISIONS.includes(revision),
  );
  if (own.length === 0) return [];
  return [
    {
      cause: 'version-mismatch',
      severity: 'error',
      title: `the server speaks only ${own.join(', ')}, which clients do not know`,
      detail: `Known revisions are ${SUPPORTED_REVISIONS.join(', ')}.`,
      page: pageOf('basic/versioning#protocol-version-negotiation'),
      todo: 'Let the server answer with a revision that exists; usually this means to update its SDK.',
    },
  ];
}

/** The revisions that an error about the version names. */
function supportedIn(answer: Answer | undefined): string[] {
  if (!isAboutVersion(answer)) return [];
  const { data } = answer?.error ?? {};
  const supported = isObject(data) ? data.supported : [];
  return Array.isArray(supported) ? supported.filter(one => typeof one === 'string') : [];
}

/** Whether an error is about the version. Servers with a handshake have no code of its own for it. */
function isAboutVersion(answer: Answer | undefined): boolean {
  const { code, message = '' } = answer?.error ?? {};
  return code === ERROR.unsupportedVersion || /\bprotocol ?version\b/i.test(message);
}

/** A server that refuses `initialize` of every revision because of its version. */
export function refusesAll(greetings: readonly (Answer | undefined)[]): Finding[] {
  const [newest] = greetings;
  if (!newest || !greetings.every(isAboutVersion)) return [];
  const named = supportedIn(newest);
  return [
    {
      cause: 'version-mismatch',
      severity: 'error',
      title: 'the server refuses every revision instead of proposing one that it speaks',
      detail: `It answers initialize with error ${newest.error?.code}: ${newest.error?.message}${named.length > 0 ? `; it names ${named.join(', ')}` : ''}`,
      page: handshakePageOf('basic/lifecycle#version-negotiation'),
      todo: `Answer initialize with a revision that exists: ${SUPPORTED_REVISIONS.join(', ')}.`,
    },
  ];
}

/** A server that refuses `initialize` of one revision, though it accepts that of another. */
export function refusesRevision(revision: string, answer: Answer | undefined): Finding[] {
  return [
    {
      cause: 'version-mismatch',
      severity: 'error',
      title: `the server refuses ${revision} instead of proposing a revision that it speaks`,
      detail: `It answers initialize with error ${answer?.error?.code}: ${answer?.error?.message}`,
      page: handshakePageOf('basic/lifecycle#version-negotiation'),
      todo: 'Answer initialize with the newest revision that the server speaks; the client decides then.',
    },
  ];
}
