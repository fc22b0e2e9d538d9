import { UsageError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { OWN_RESULT } from '../../protocol/own-result.js';

/**
 * A result of a type that an extension brought, for the handlers of tools to return. The extension must have the type in
 * its `resultTypes`, and the client must have declared the extension: check `ctx.extension(id)` first.
 *
 * @example
 * if (ctx.extension('com.example/search') && isSlow(words)) return extensionResult('search_started', { search: id });
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#resulttype
 */
export function extensionResult(resultType: string, members: JsonObject): never {
  if (resultType === 'complete' || resultType === 'input_required')
    throw new UsageError(`the result type "${resultType}" belongs to the protocol`);
  return { ...members, resultType, [OWN_RESULT]: true } as never;
}
