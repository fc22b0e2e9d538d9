import { UsageError } from '../base/errors.js';
import { isObject, quoteBriefly } from '../base/json.js';
import type { Awaitable } from '../base/settle.js';
import type { Caller } from './caller.js';
import { isMetaKey } from './meta-key.js';

/** The parts of the protocol that extensions brought, each with the extension that it belongs to. */
export interface Claims {
  /** Requests and notifications of both directions, by method. */
  readonly messages: ReadonlyMap<string, Claim>;
  /** The types of results, by the value of `resultType`. */
  readonly resultTypes: ReadonlyMap<string, Claim>;
  /** What a client can listen to, by the member of the filter of `subscriptions/listen`. */
  readonly notices: ReadonlyMap<string, NoticeClaim>;
}

export interface Claim {
  /** The id of the extension. */
  readonly id: string;
  /**
   * Whether both sides must have declared the extension; otherwise the server is enough. A function decides it by the
   * name of the revision, and returns undefined for one that does not have the part.
   */
  readonly needsClient: boolean | ((revision: string) => boolean | undefined);
}

/** Notices that travel on listen streams. */
export interface NoticeClaim extends Claim {
  /** The notification that carries a notice. */
  readonly method: string;
  /** Whether not every client may have the notices: then only those who asked, or whom the author names, get them. */
  readonly isRestricted?: boolean;
  /**
   * The part of the filter that the server agrees to for a caller; undefined for none. Throws `-32602` if it is
   * malformed.
   */
  agree(asked: unknown, caller: Caller | undefined): Awaitable<unknown>;
  /** Whether a notice with these parameters is for a client that agreed on this part of the filter. */
  wants(agreed: unknown, params: Readonly<Record<string, unknown>>): boolean;
}

/** The members of the filter of `subscriptions/listen` that belong to the protocol. */
export const CORE_FILTERS = [
  'toolsListChanged',
  'promptsListChanged',
  'resourcesListChanged',
  'resourceSubscriptions',
];

/**
 * Throws if the id of an extension is malformed or has no prefix, or if its settings are no object.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export function checkExtensions(extensions: object = {}): void {
  Object.keys(extensions).forEach(checkExtensionId);
  checkSettings(extensions, 'extension');
}

/** Throws if the settings of something that a side declares are no object. */
export function checkSettings(declared: object, what: string): void {
  for (const [id, settings] of Object.entries(declared)) {
    if (settings !== undefined && !isObject(settings))
      throw new UsageError(`the settings of the ${what} "${id}" must be an object: { '${id}': {} }`);
  }
}

/** Throws if the id of an extension is malformed, or has no prefix. */
export function checkExtensionId(id: unknown): void {
  if (typeof id === 'string' && isMetaKey(id) && /^[^/]+\/[^/]+$/.test(id)) return;
  throw new UsageError(`the extension ${quoteBriefly(id)} needs a name with a prefix: com.example/search`);
}
