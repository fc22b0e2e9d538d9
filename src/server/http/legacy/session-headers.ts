import { clip } from '../../../base/clip.js';
import { invalidRequest, type McpError } from '../../../protocol/errors.js';
import { HEADER } from '../../../protocol/headers.js';
import { unsupportedVersion } from '../../../revisions/check-request.js';
import { findRevision, type Revision } from '../../../revisions/index.js';
import type { Exchange } from '../exchange.js';

/** Why the headers of a request without an envelope name no session; undefined if they do. `served` are the revisions. */
export function sessionHeaderProblem(exchange: Exchange, served: readonly Revision[]): McpError | undefined {
  const problem = sessionVersionProblem(exchange, served);
  if (problem) return problem;
  if (exchange.header(HEADER.sessionId) === undefined)
    return invalidRequest('the Mcp-Session-Id header is missing; send initialize first');
  return undefined;
}

/** Why the version header cannot be that of a session; undefined if it can, or if there is none. */
export function sessionVersionProblem(exchange: Exchange, served: readonly Revision[]): McpError | undefined {
  const version = exchange.header(HEADER.protocolVersion);
  if (version === undefined) return undefined;
  const revision = served.find(({ name }) => name === version);
  if (!revision) return unsupportedVersion(version, namesOf(served));
  if (revision.era === 'legacy') return undefined;
  return invalidRequest(`sessions do not speak revision ${clip(version)}; send its envelope in _meta`);
}

/**
 * The error `-32022` if the version header of a request outside of a session names no revision at all. One that is not
 * served will do: the handshake is about to choose another.
 */
export function versionHeaderProblem(exchange: Exchange, served: readonly Revision[]): McpError | undefined {
  const version = exchange.header(HEADER.protocolVersion);
  return version === undefined || findRevision(version)
    ? undefined
    : unsupportedVersion(version, namesOf(served));
}

function namesOf(revisions: readonly Revision[]): string[] {
  return revisions.map(({ name }) => name);
}
