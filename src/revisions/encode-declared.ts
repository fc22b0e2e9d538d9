import type { JsonObject } from '../base/json.js';
import type { ClientCapabilities, ServerCapabilities } from '../protocol/capabilities.js';
import { omit } from './encode.js';
import type { Revision } from './revision.js';

export function encodeImplementation(revision: Revision, info: object): JsonObject {
  return omit(revision, 'implementation', info as JsonObject);
}

export function encodeCapabilities(revision: Revision, capabilities: ServerCapabilities): JsonObject {
  return omit(revision, 'capabilities', withExperimental(revision, capabilities) as JsonObject);
}

/**
 * Declares extensions where a revision lets them travel.
 * @see https://modelcontextprotocol.io/seps/2133-extensions#negotiation
 */
function withExperimental<C extends ClientCapabilities | ServerCapabilities>(
  { experimentalExtensions }: Revision,
  capabilities: C,
): C {
  const { extensions, experimental } = capabilities;
  if (!experimentalExtensions || !extensions) return capabilities;
  return { ...capabilities, experimental: { ...experimental, ...extensions } };
}

/** Leaves out the capabilities of a client that a revision does not know. */
export function encodeClientCapabilities(
  revision: Revision,
  { elicitation, sampling, roots, ...rest }: ClientCapabilities,
): ClientCapabilities {
  const { questions, clientNotifications, samplingTools } = revision;
  const asks = elicitation && questions.has('elicitation/create');
  const hasForms = elicitation && (elicitation.form !== undefined || elicitation.url === undefined);
  const tellsOfRoots = clientNotifications.has('notifications/roots/list_changed');
  return {
    ...omit(revision, 'capabilities', withExperimental(revision, rest) as JsonObject),
    ...(asks && (revision.elicitation.url ? { elicitation } : hasForms && { elicitation: {} })),
    ...(sampling && { sampling: samplingTools ? sampling : {} }),
    ...(roots && { roots: tellsOfRoots ? roots : {} }),
  };
}

/** Leaves out the parameters of a client's request that a revision does not know. */
export function encodeParams(revision: Revision, method: string, params: JsonObject): JsonObject {
  return method === 'completion/complete' ? omit(revision, 'completion', params) : params;
}
