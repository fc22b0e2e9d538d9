import type { Result } from '../../protocol/call.js';
import { toDiscoverResult } from '../../protocol/discovery.js';
import type { Service } from '../../protocol/service.js';
import type { Revision } from '../../revisions/index.js';

/**
 * Responds to `server/discover`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/discover
 */
export function answerDiscover(service: Service, revisions: readonly Revision[]): Result {
  return toDiscoverResult({
    supportedVersions: revisions.map(revision => revision.name),
    capabilities: service.capabilities(),
    ...(service.instructions !== undefined && { instructions: service.instructions }),
    cacheHint: service.discovery,
  });
}
