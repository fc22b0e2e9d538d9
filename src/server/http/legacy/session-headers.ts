import { clip } from '../../../base/clip.js';
import { invalidRequest, type McpError } from '../../../protocol/errors.js';
import { HEADER } from '../../../protocol/headers.js';
import { unsupportedVersion } from '../../../revisions/check-request.js';
import { findLegacy, findRevision } from '../../../revisions/index.js';
import type { Exchange } from '../exchange.js';

/** Why the headers of a request without an envelope name no session; undefined if they do. */
export function sessionHeaderProblem(exchange: Exchange): McpError | undefined {
  const problem = versionHeaderProblem(exchange);
  if (problem) return problem;
  const version = exchange.header(HEADER.protocolVersion);
  if (version !== undefined && !findLegacy(version))
    return invalidRequest(`sessions do not speak revision ${clip(version)}; send its envelope in _meta`);
  if (exchange.header(HEADER.sessionId) === undefined)
    return invalidRequest('the Mcp-Session-Id header is missing; send initialize first');
  return undefined;
}

/** The error `-32022` if the version header names no revision that this server speaks. */
export function versionHeaderProblem(exchange: Exchange): McpError | undefined {
  const version = exchange.header(HEADER.protocolVersion);
  return version === undefined || findRevision(version) ? undefined : unsupportedVersion(version);
}
