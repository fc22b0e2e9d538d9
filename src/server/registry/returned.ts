import { UsageError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { type ContentBlock, isTextOrMedia } from '../../protocol/content.js';
import { isMetaKey, mayAttachUnder } from '../../protocol/meta.js';

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
      return base64Problem(block.data);
    case 'resource_link':
      return uriProblem(block.uri);
    case 'resource':
      return contentsProblem(block.resource as unknown as JsonObject);
    default:
      return undefined;
  }
}

/** Why clients could not use the contents of a resource; undefined if they can. */
export function contentsProblem({ uri, text, blob }: JsonObject): string | undefined {
  if (typeof text !== 'string' && typeof blob !== 'string') return 'without a text or a blob';
  return uriProblem(uri as string) ?? (typeof blob === 'string' ? base64Problem(blob) : undefined);
}

/** Looks at both ends only: data that is not base64 shows there, and it may be megabytes long. */
function base64Problem(data: string): string | undefined {
  const isBase64 =
    data.length % 4 === 0 && BASE64.test(data.slice(0, 1000)) && BASE64.test(data.slice(-1000));
  return isBase64 ? undefined : 'whose data is not base64';
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function uriProblem(uri: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:[^\s]*$/i.test(uri)
    ? undefined
    : `whose uri is not a URI: ${JSON.stringify(uri)}`;
}

/** Why annotations are wrong; undefined if they are right, or if there are none. */
export function annotationsProblem(annotations: unknown): string | undefined {
  if (annotations === undefined) return undefined;
  if (!isObject(annotations)) return 'whose annotations are not an object';
  const { audience = [], priority = 0, lastModified = '' } = annotations;
  if (!(typeof priority === 'number' && priority >= 0 && priority <= 1))
    return 'whose priority is not a number from 0 to 1';
  if (!Array.isArray(audience) || !audience.every(role => role === 'user' || role === 'assistant'))
    return 'whose audience is not a list of "user" and "assistant"';
  return typeof lastModified === 'string' ? undefined : 'whose lastModified is not a text';
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
