import { UsageError } from '../../base/errors.js';
import { isCount, isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import { type Awaitable, andThen } from '../../base/settle.js';
import { annotationsProblem } from '../../protocol/annotations.js';
import type { Call } from '../../protocol/call.js';
import { type ContentBlock, isBase64, isMimeType, isTextOrMedia } from '../../protocol/content.js';
import { iconsProblem } from '../../protocol/icons.js';
import { isMetaKey, mayAttachUnder } from '../../protocol/meta-key.js';
import { isUri } from '../../protocol/resource-uri.js';

/** Whether a handler returned questions instead of a result. */
export function asksByHand(returned: unknown): returned is JsonObject {
  return isObject(returned) && returned.resultType === 'input_required';
}

/** The questions that a handler returned. `refuse` throws if they are malformed. */
export function toQuestions(call: Call, returned: JsonObject, refuse: () => never): Awaitable<object> {
  return andThen(call.asking.get(), ({ readQuestions }) => readQuestions(call, returned) ?? refuse());
}

/** Whether a value looks like a content block of a known type, with the fields that its type needs. */
export function isBlock(value: unknown): value is ContentBlock {
  if (!isObject(value)) return false;
  switch (value.type) {
    case 'resource_link':
      return typeof value.uri === 'string' && typeof value.name === 'string';
    case 'resource':
      return isObject(value.resource) && typeof value.resource.uri === 'string';
    default:
      return isTextOrMedia(value);
  }
}

/** A block that a handler returned, as it may be sent. Throws a `UsageError` if clients could not use it. */
export function checkBlock(block: ContentBlock, what: string): ContentBlock {
  const problem = detailProblem(block) ?? annotationsProblem(block.annotations);
  if (problem) throw new UsageError(`${what} returned a block of type ${block.type} ${problem}`);
  return block._meta === undefined ? block : { ...block, _meta: readMeta(block._meta, what) };
}

function detailProblem(block: ContentBlock): string | undefined {
  switch (block.type) {
    case 'image':
    case 'audio':
      return typeProblem(block.mimeType) ?? base64Problem(block.data);
    case 'resource_link':
      return uriProblem(block.uri) ?? describedProblem(block);
    case 'resource':
      return contentsProblem(block.resource as unknown as JsonObject);
    default:
      return undefined;
  }
}

/** Why clients could not use the contents of a resource; undefined if they can. */
export function contentsProblem({ uri, text, blob, mimeType }: JsonObject): string | undefined {
  if ((typeof text === 'string') === (typeof blob === 'string'))
    return text === undefined ? 'without a text or a blob' : 'with both a text and a blob';
  return (
    uriProblem(uri as string) ??
    typeProblem(mimeType) ??
    (typeof blob === 'string' ? base64Problem(blob) : undefined)
  );
}

/** Why the description of a resource is wrong; undefined if it is right. */
export function describedProblem(described: {
  mimeType?: unknown;
  size?: unknown;
  annotations?: unknown;
  icons?: unknown;
}): string | undefined {
  const { mimeType, size, annotations } = described;
  const icons = iconsProblem(described.icons);
  if (icons) return `with ${icons}`;
  if (size !== undefined && !isCount(size)) return 'whose size is not a whole number of bytes';
  return typeProblem(mimeType) ?? annotationsProblem(annotations);
}

function typeProblem(mimeType: unknown): string | undefined {
  if (mimeType === undefined || isMimeType(mimeType)) return undefined;
  return `whose mimeType is not one such as text/plain: ${quoteBriefly(mimeType)}`;
}

function base64Problem(data: string): string | undefined {
  return isBase64(data) ? undefined : 'whose data is not base64';
}

function uriProblem(uri: string): string | undefined {
  return isUri(uri) ? undefined : `whose uri is not a URI: ${JSON.stringify(uri)}`;
}

/**
 * The `_meta` that a handler returned, without the keys that belong to the protocol: a result that is passed on from
 * another server has some. Throws a `UsageError` for a malformed key.
 */
export function readMeta(meta: unknown, what: string): JsonObject {
  if (!isObject(meta)) throw new UsageError(`${what} returned a _meta that is not an object`);
  const malformed = Object.keys(meta).find(key => !isMetaKey(key));
  if (malformed !== undefined)
    throw new UsageError(
      `${what} returned the malformed key "${malformed}" in _meta; use one like com.example/table`,
    );
  return Object.fromEntries(Object.entries(meta).filter(([key]) => mayAttachUnder('second-label', key)));
}
