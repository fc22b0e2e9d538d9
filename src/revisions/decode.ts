import type { ClientCapabilities } from '../protocol/capabilities.js';
import type { Revision } from './revision.js';

/**
 * The capabilities of a client in the words of the newest revision. Before sampling had capabilities of its
 * own, every client that could sample was expected to include context when asked.
 */
export function decodeCapabilities(revision: Revision, capabilities: ClientCapabilities): ClientCapabilities {
  const { sampling } = capabilities;
  if (revision.samplingTools || !sampling) return capabilities;
  return { ...capabilities, sampling: { ...sampling, context: {} } };
}
