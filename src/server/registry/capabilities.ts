import type { JsonObject } from '../../base/json.js';
import type { ServerCapabilities } from '../../protocol/capabilities.js';
import type { Registries } from './registries.js';

/** The capabilities that follow from what is registered, and those that are declared: by the author, and by extensions. */
export function deriveCapabilities(
  registries: Registries,
  declared: ServerCapabilities | undefined,
  extensions: Record<string, JsonObject> | undefined,
): ServerCapabilities {
  const { tools, prompts, resources, templates } = registries;
  const completes = [...prompts.entries(), ...templates.entries()].some(entry => entry.complete);
  return {
    logging: {},
    ...(tools.size > 0 && { tools: { listChanged: true } }),
    ...(prompts.size > 0 && { prompts: { listChanged: true } }),
    ...(resources.size + templates.size > 0 && { resources: { listChanged: true, subscribe: true } }),
    ...(completes && { completions: {} }),
    // A member that is undefined withdraws what is derived.
    ...declared,
    ...(extensions && { extensions: { ...declared?.extensions, ...extensions } }),
  };
}
