import type { JsonObject } from '../../base/json.js';
import {
  hasServerCapability,
  type ServerCapabilities,
  type ServerCapability,
} from '../../protocol/capabilities.js';

/** The capabilities by their bits. Session ids contain these numbers, so new ones are added at the end only. */
const NAMES: readonly ServerCapability[] = [
  'logging',
  'completions',
  'prompts',
  'prompts.listChanged',
  'resources',
  'resources.subscribe',
  'resources.listChanged',
  'tools',
  'tools.listChanged',
];

/** The declared capabilities that messages depend on, as a number. */
export function packDeclared(capabilities: ServerCapabilities): number {
  return NAMES.reduce((bits, name, at) => bits | (Number(hasServerCapability(capabilities, name)) << at), 0);
}

/** Many sessions share the result. */
export function unpackDeclared(bits: number): ServerCapabilities {
  const known = unpacked.get(bits);
  if (known) return known;
  const capabilities: Record<string, JsonObject> = {};
  NAMES.forEach((name, at) => {
    if (!(bits & (1 << at))) return;
    const [group, detail] = name.split('.') as [string, string?];
    const declared = capabilities[group] ?? {};
    if (detail) declared[detail] = true;
    capabilities[group] = declared;
  });
  unpacked.set(bits, capabilities);
  return capabilities;
}

const unpacked = new Map<number, ServerCapabilities>();
