import { isObject, type JsonObject } from '../base/json.js';
import type { Icon } from './content.js';

/** Name and version of a client or server. Self-reported: for display and logs, never for decisions. */
export interface Implementation {
  name: string;
  version: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
  icons?: Icon[];
}

/** The features that a client offers to servers. */
export interface ClientCapabilities {
  experimental?: Record<string, JsonObject>;
  roots?: { listChanged?: boolean };
  sampling?: { context?: JsonObject; tools?: JsonObject };
  elicitation?: { form?: JsonObject; url?: JsonObject };
  extensions?: Record<string, JsonObject>;
}

/** The features that a server offers. */
export interface ServerCapabilities {
  experimental?: Record<string, JsonObject> | undefined;
  logging?: JsonObject | undefined;
  completions?: JsonObject | undefined;
  prompts?: { listChanged?: boolean } | undefined;
  resources?: { subscribe?: boolean; listChanged?: boolean } | undefined;
  tools?: { listChanged?: boolean } | undefined;
  extensions?: Record<string, JsonObject> | undefined;
}

/** A capability that a client may need of a server, with its sub-capability after the dot. */
export type ServerCapability =
  | 'logging'
  | 'completions'
  | 'prompts'
  | 'prompts.listChanged'
  | 'resources'
  | 'resources.subscribe'
  | 'resources.listChanged'
  | 'tools'
  | 'tools.listChanged'
  | `extensions.${string}`;

/** A capability that a server may need of a client, with its sub-capability after the dot. */
export type ClientCapability =
  | 'elicitation'
  | 'elicitation.form'
  | 'elicitation.url'
  | 'sampling'
  | 'sampling.tools'
  | 'sampling.context'
  | 'roots'
  | 'roots.listChanged'
  | `extensions.${string}`
  | `experimental.${string}`;

/**
 * Whether a client declared a capability.
 *
 * `elicitation: {}` means forms: URL mode came later and must be declared by name.
 *
 * @example
 * hasCapability({ elicitation: {} }, 'elicitation.form'); // true
 * hasCapability({ elicitation: {} }, 'elicitation.url'); // false
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#capabilities
 */
export function hasCapability(capabilities: ClientCapabilities, capability: ClientCapability): boolean {
  const dot = capability.indexOf('.');
  const group = dot < 0 ? capability : capability.slice(0, dot);
  const declared = ownObject(capabilities as JsonObject, group);
  if (!declared) return false;
  if (dot < 0) return true;
  const detail = capability.slice(dot + 1);
  if (capability === 'elicitation.form') return isObject(declared.form) || !isObject(declared.url);
  if (!Object.hasOwn(declared, detail)) return false;
  // Settings that are no object declare nothing.
  return isObject(declared[detail]) || (group !== 'extensions' && declared[detail] === true);
}

/** Whether a server declared a capability. */
export function hasServerCapability(capabilities: ServerCapabilities, capability: ServerCapability): boolean {
  const dot = capability.indexOf('.');
  const group = dot < 0 ? capability : capability.slice(0, dot);
  const declared = ownObject(capabilities as JsonObject, group);
  if (!declared || dot < 0) return declared !== undefined;
  const detail = capability.slice(dot + 1);
  return group === 'extensions' ? ownObject(declared, detail) !== undefined : declared[detail] === true;
}

/** The settings that a side declared for an extension; undefined if it did not declare the extension. */
export function extensionSettings(
  { extensions }: ClientCapabilities | ServerCapabilities,
  id: string,
): JsonObject | undefined {
  return isObject(extensions) ? ownObject(extensions, id) : undefined;
}

/**
 * The smallest `ClientCapabilities` that contains some capabilities, for errors that name them as missing.
 *
 * @example
 * capabilityShape('elicitation.url'); // { elicitation: { url: {} } }
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes
 */
export function capabilityShape(...capabilities: ClientCapability[]): ClientCapabilities {
  return capabilities.reduce((shape, capability) => {
    const [group = '', ...rest] = capability.split('.');
    const detail = rest.join('.');
    const own = detail && { [detail]: detail === 'listChanged' ? true : {} };
    return mergeCapabilities(shape, { [group]: own || {} });
  }, {});
}

/** All capabilities of both. */
export function mergeCapabilities(one: ClientCapabilities, other: ClientCapabilities): ClientCapabilities {
  const merged: JsonObject = { ...one };
  for (const [group, details] of Object.entries(other))
    merged[group] = { ...(merged[group] as object | undefined), ...details };
  return merged;
}

function ownObject(object: JsonObject, key: string): JsonObject | undefined {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return isObject(value) ? value : undefined;
}
