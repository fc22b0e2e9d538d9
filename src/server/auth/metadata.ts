import type { JsonObject } from '../../base/json.js';
import { type DpopOptions, PROOF_ALGORITHMS } from './dpop.js';

export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/**
 * What clients are told about a protected resource.
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

/** Where the metadata of a resource is: the well-known path stands between its host and its own path. */
export function metadataUrl(resource: string): string {
  const { origin, pathname, search } = new URL(resource);
  return `${origin}${METADATA_PATH}${pathname === '/' ? '' : pathname}${search}`;
}
