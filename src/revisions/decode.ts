import type { ClientCapabilities } from '../protocol/capabilities.js';
import type { Revision } from './revision.js';

/**
 * Translates the capabilities of a client into the newest revision. Before sampling had sub-capabilities, every client
 * with sampling was expected to include context when asked.
 */
export function decodeCapabilities(revision: Revision, capabilities: ClientCapabilities): ClientCapabilities {
  const { sampling } = capabilities;
  if (revision.samplingTools || !sampling) return capabilities;
  return { ...capabilities, sampling: { ...sampling, context: {} } };
}
