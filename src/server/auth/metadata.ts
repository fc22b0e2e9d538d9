import type { JsonObject } from '../../base/json.js';
import { type DpopOptions, PROOF_ALGORITHMS } from './dpop.js';

export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/**
 * The metadata of a protected resource, as clients fetch it.
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-2
 */
export function describeProtectedResource(
  resource: string,
  options: {
    authorizationServers: readonly string[];
    scopes: readonly string[];
    dpop: DpopOptions | undefined;
    more: JsonObject | undefined;
  },
): JsonObject {
  return {
    ...(options.scopes.length > 0 && { scopes_supported: [...options.scopes] }),
    ...options.more,
    resource,
    authorization_servers: [...options.authorizationServers],
    bearer_methods_supported: ['header'],
    ...(options.dpop && {
      dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
      dpop_bound_access_tokens_required: options.dpop.required ?? false,
    }),
  };
}

/** The URL of a resource's metadata: the well-known path stands between its host and its own path. */
export function metadataUrl(resource: string): string {
  const { origin, pathname, search } = new URL(resource);
  return `${origin}${METADATA_PATH}${pathname === '/' ? '' : pathname}${search}`;
}
