import { UsageError } from '../../base/errors.js';
import { asJson, isObject, type JsonObject } from '../../base/json.js';
import type { Awaitable } from '../../base/settle.js';
import type { Call } from '../../protocol/call.js';
import type { ContentBlock } from '../../protocol/content.js';
import { McpError, ToolError } from '../../protocol/errors.js';
import { AnswerTimeout } from '../../protocol/failures.js';
import { OWN_RESULT } from '../../protocol/own-result.js';
import { RoundEnded } from '../../protocol/round.js';
import type { ToolFailure } from '../../protocol/tools.js';
import type { CompiledSchema } from '../schema/schema.js';
import { describeThrown, type ErrorPolicy } from './error-policy.js';
import { invalidReturn } from './registration.js';
import { asksByHand, checkBlock, isBlock, readMeta, toQuestions } from './returned.js';

/** Makes a result of the value that a handler returned. Throws a `UsageError` if clients could not use it. */
export function toResult(
  call: Call,
  returned: unknown,
  output: CompiledSchema | undefined,
  what: string,
): Awaitable<object> {
  if (asksByHand(returned)) return toQuestions(call, returned, () => throwInvalidReturn(what));
  if (isObject(returned) && OWN_RESULT in returned) return returned;
  if (output) return toStructuredResult(returned, output, what);
  if (isObject(returned) && Array.isArray(returned.content)) {
    const full = toFullResult(returned, what);
    return 'structuredContent' in full
      ? { ...full, structuredContent: asJson(full.structuredContent) }
      : full;
  }
  return { content: toContent(returned, what) };
}

/** A full result, with its content and its `_meta` checked. */
function toFullResult(returned: JsonObject, what: string): JsonObject {
  const { content, structuredContent, ...others } = returned;
  const rest = asJson(others);
  // A `toJSON` may make anything of it.
  if (!isObject(rest)) return throwInvalidReturn(what);
  const { isError, _meta } = rest;
  if (isError !== undefined && typeof isError !== 'boolean') throwInvalidReturn(what);
  return {
    ...rest,
    ...(content !== undefined && { content: toContent(content, what) }),
    ...(structuredContent !== undefined && { structuredContent }),
    ...(_meta !== undefined && { _meta: readMeta(_meta, what) }),
  };
}

async function toStructuredResult(returned: unknown, output: CompiledSchema, what: string): Promise<object> {
  if (isFailure(returned)) return toFullResult(returned as unknown as JsonObject, what);
  const full =
    isObject(returned) && 'structuredContent' in returned ? toFullResult(returned, what) : undefined;
  const value = full ? full.structuredContent : returned;
  const checked = await output.check(value);
  if ('problem' in checked)
    throw new UsageError(`${what} returned a value that its output schema refuses: ${checked.problem}`);
  const structuredContent = checked.value;
  if (structuredContent === undefined)
    throw new UsageError(`${what} has an output schema, but returned nothing`);
  const content = full?.content ?? [{ type: 'text', text: JSON.stringify(structuredContent) }];
  return { ...full, content, structuredContent };
}

/** A result that only describes a failure. A typed output may have its own field `isError`, so more is checked. */
function isFailure(returned: unknown): returned is ToolFailure {
  return (
    isObject(returned) &&
    returned.isError === true &&
    Array.isArray(returned.content) &&
    returned.structuredContent === undefined
  );
}

function toContent(returned: unknown, what: string): ContentBlock[] {
  if (returned === undefined || returned === null) return [];
  if (Array.isArray(returned)) return returned.map(item => toBlock(item, what));
  return [toBlock(returned, what)];
}

function toBlock(value: unknown, what: string): ContentBlock {
  if (typeof value === 'string') return { type: 'text', text: value };
  if (typeof value === 'number' || typeof value === 'boolean') return { type: 'text', text: String(value) };
  const block = asJson(value);
  return isBlock(block) ? checkBlock(block, what) : throwInvalidReturn(what);
}

function throwInvalidReturn(what: string): never {
  throw invalidReturn(
    what,
    'a result',
    'a string, a content block, a list of them, a full result, or declare `output` to return structured data',
  );
}

/** Makes a result that the model can read, unless the protocol has an error for the failure. */
export function toErrorResult(thrown: unknown, what: string, errors: ErrorPolicy, call: Call): object {
  if (thrown instanceof McpError || thrown instanceof RoundEnded) throw thrown;
  if (thrown instanceof ToolError) return errorResult(thrown.message);
  // A cancelled handler stops by throwing, which is expected and not reported.
  if (!call.signal.aborted) errors.report(thrown, what);
  const isReadable = errors.expose || thrown instanceof AnswerTimeout;
  return errorResult(isReadable ? describeThrown(thrown) : `${what} failed`);
}

function errorResult(text: string): ToolFailure {
  return { content: [{ type: 'text', text }], isError: true };
}
