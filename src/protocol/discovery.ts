import { isObject, type JsonObject } from '../base/json.js';
import { type CacheHint, readCacheHint } from './caching.js';
import type { Implementation, ServerCapabilities } from './capabilities.js';
import { META } from './meta.js';
import { isImplementation } from './request-meta.js';

/**
 * A server's description of itself.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/discover
 */
export interface Discovery {
  supportedVersions: string[];
  capabilities: ServerCapabilities;
  instructions?: string;
  serverInfo?: Implementation;
  cacheHint?: CacheHint;
}

/**
 * Builds the result of `server/discover`.
 *
 * @example
 * toDiscoverResult({
 *   supportedVersions: [...SUPPORTED_REVISIONS],
 *   capabilities: { tools: {} },
 *   serverInfo: { name: 'bistro', version: '1.0.0' },
 *   cacheHint: { ttlMs: 60_000, cacheScope: 'public' },
 * });
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/discover
 */
export function toDiscoverResult(discovery: Discovery): JsonObject {
  return {
    supportedVersions: discovery.supportedVersions,
    capabilities: discovery.capabilities,
    ...(discovery.instructions !== undefined && { instructions: discovery.instructions }),
    ...discovery.cacheHint,
    ...(discovery.serverInfo && { _meta: { [META.serverInfo]: discovery.serverInfo } }),
  };
}

/** How many versions of a peer are read: more than there will ever be revisions. */
export const MAX_VERSIONS = 1000;

/**
 * Reads the result of `server/discover`; undefined if it is something else.
 *
 * @example
 * const { supportedVersions, serverInfo } = readDiscoverResult(response.result) ?? {};
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/discover
 */
export function readDiscoverResult(result: unknown): Discovery | undefined {
  if (!isObject(result) || !isObject(result.capabilities)) return undefined;
  const versions = result.supportedVersions;
  if (!Array.isArray(versions) || versions.length > MAX_VERSIONS) return undefined;
  if (!versions.every(version => typeof version === 'string')) return undefined;
  const info = isObject(result._meta) ? result._meta[META.serverInfo] : undefined;
  const cacheHint = readCacheHint(result);
  return {
    supportedVersions: versions,
    capabilities: result.capabilities,
    ...(typeof result.instructions === 'string' && { instructions: result.instructions }),
    ...(isImplementation(info) && { serverInfo: info }),
    ...(cacheHint && { cacheHint }),
  };
}
