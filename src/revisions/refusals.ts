import { UsageError } from '../base/errors.js';
import { quoteBriefly } from '../base/json.js';
import { type ClientCapability, extensionSettings } from '../protocol/capabilities.js';
import { type McpError, methodNotFound, missingCapability } from '../protocol/errors.js';
import type { Agreement } from './agreement.js';

/** The error for a request that a client may not send. */
export function refusalOf(agreement: Agreement, method: string): McpError {
  const missing = agreement.whyNot('client', method)?.missing;
  return missing?.side === 'client'
    ? missingCapability(method, missing.capability as ClientCapability)
    : methodNotFound(method);
}

/**
 * Throws if the client could not know the type of a result. Types other than those of the protocol belong to extensions.
 * For extensions that are only declared, which one it is of cannot be told, so one in common is enough.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#resulttype
 */
export function checkResultType(agreement: Agreement, result: { resultType?: unknown }): void {
  const { resultType: type } = result;
  if (type === undefined || type === 'complete') return;
  const { claims, server, client } = agreement;
  const claim = claims?.resultTypes.get(type as string);
  const isKnown = claims
    ? claim && !agreement.missingFor(claim)
    : Object.keys(server?.extensions ?? {}).some(id => extensionSettings(client, id));
  if (typeof type === 'string' && isKnown) return;
  throw new UsageError(
    `the result type ${quoteBriefly(type)} belongs to no extension that the server and this client declared`,
  );
}
