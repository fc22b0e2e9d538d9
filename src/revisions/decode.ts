import { isObject } from '../base/json.js';
import type { ClientCapabilities, ServerCapabilities } from '../protocol/capabilities.js';
import type { Revision } from './revision.js';

/**
 * Translates the capabilities of a client into the newest revision. Before sampling had sub-capabilities, every client
 * with sampling was expected to include context when asked.
 */
export function decodeCapabilities(revision: Revision, capabilities: ClientCapabilities): ClientCapabilities {
  const known = decodeExtensions(revision, capabilities);
  const { sampling } = known;
  if (revision.samplingTools || !sampling) return known;
  return { ...known, sampling: { ...sampling, context: {} } };
}

/** The capabilities with all extensions under `extensions`. In `experimental` only they have names with a prefix. */
export function decodeExtensions<C extends ClientCapabilities | ServerCapabilities>(
  { experimentalExtensions }: Revision,
  capabilities: C,
): C {
  const { experimental } = capabilities;
  if (!experimentalExtensions || !isObject(experimental)) return capabilities;
  const own = Object.entries(experimental).filter(([id]) => id.includes('/'));
  if (own.length === 0) return capabilities;
  const { extensions } = capabilities;
  return {
    ...capabilities,
    extensions: { ...Object.fromEntries(own), ...(isObject(extensions) ? extensions : {}) },
  };
}
