import { isObject, type JsonObject } from '../base/json.js';
import type { ContentBlock } from '../protocol/content.js';
import { ERROR, McpError } from '../protocol/errors.js';
import type { Agreement } from './agreement.js';
import type { Revision, Shape } from './revision.js';

/** Creates a function that translates results of the server core into a revision. The originals are never changed. */
export function createResultEncoder(revision: Revision): (method: string, result: object) => JsonObject {
  const keepsContent = knowsAllContent(revision);
  return (method, result) => {
    const plain = omit(revision, 'result', result as JsonObject);
    if (method !== 'tools/call') return encodeResult(revision, method, plain);
    const known = encodeStructuredContent(revision, plain);
    return keepsContent ? known : encodeContent(revision, known);
  };
}

function encodeResult(revision: Revision, method: string, plain: JsonObject): JsonObject {
  switch (method) {
    case 'tools/list':
      return mapList(plain, 'tools', tool => encodeTool(revision, tool));
    case 'resources/list':
      return mapList(plain, 'resources', resource => encodeDescribed(revision, 'resource', resource));
    case 'resources/templates/list':
      return mapList(plain, 'resourceTemplates', template => encodeDescribed(revision, 'template', template));
    case 'resources/read':
      return mapList(plain, 'contents', contents => omit(revision, 'contents', contents));
    case 'prompts/list':
      return mapList(plain, 'prompts', prompt => encodePrompt(revision, prompt));
    case 'prompts/get':
      return mapList(plain, 'messages', message => ({
        ...message,
        content: encodeBlock(revision, message.content as ContentBlock),
      }));
    default:
      return plain;
  }
}

/** Translates the parameters of a notification for a client; undefined if the client must not get it. */
export function encodeNotification(
  agreement: Agreement,
  method: string,
  params: JsonObject,
): JsonObject | undefined {
  if (!agreement.maySend('server', method)) return undefined;
  return method === 'notifications/progress' ? omit(agreement.revision, 'progress', params) : params;
}

/** Translates an error into the codes of a revision. */
export function encodeError(
  revision: Revision,
  error: McpError,
): { code: number; message: string; data?: unknown } {
  const code = (error.reason && revision.codes[error.reason]) ?? error.code;
  return { code, message: error.message, ...(error.data !== undefined && { data: error.data }) };
}

/**
 * The error that a handler threw, with a code that the revision lets authors send. An error without a reason was made
 * by an author; the others know their codes.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes
 */
export function withAllowedCode(revision: Revision, error: McpError): McpError {
  const { code, message, data, reason } = error;
  const isReserved = revision.reservesCodes && code <= -32020 && code >= -32099;
  const saysMore =
    isReserved && code === ERROR.missingCapability && isObject(data) && 'requiredCapabilities' in data;
  const isAllowed = Number.isInteger(code) && (!isReserved || saysMore) && !revision.retiredCodes.has(code);
  if (isAllowed || reason !== undefined) return error;
  return new McpError(revision.retiredCodes.get(code) ?? ERROR.internal, message, data);
}

/**
 * The result for a failure that a revision reports to the model instead of as an error. Undefined if the failure is an
 * error of the protocol.
 */
export function encodeFailure(revision: Revision, method: string, error: McpError): JsonObject | undefined {
  if (method !== 'tools/call') return undefined;
  const readable = isForTheModel(revision, error);
  return readable ? { content: [{ type: 'text', text: error.message }], isError: true } : undefined;
}

function isForTheModel(revision: Revision, error: McpError): boolean {
  switch (error.reason) {
    case 'invalid-arguments':
      return revision.argumentErrors === 'result';
    case 'missing-capability':
    case 'invalid-answer':
      return revision.era === 'legacy';
    case 'page-required':
      return !revision.elicitation.url;
    case 'no-answer':
      return true;
    default:
      return false;
  }
}

function encodeStructuredContent(revision: Revision, result: JsonObject): JsonObject {
  const { structuredContent } = result;
  const allowed =
    structuredContent === undefined ||
    revision.structuredContent === 'any' ||
    (revision.structuredContent === 'object' && isObject(structuredContent));
  return allowed ? result : without(result, ['structuredContent']);
}

function encodeContent(revision: Revision, result: JsonObject): JsonObject {
  return mapList(result, 'content', block => encodeBlock(revision, block as unknown as ContentBlock));
}

function encodeTool(revision: Revision, tool: JsonObject): JsonObject {
  const known = omit(revision, 'tool', withTitle(revision, tool));
  if (revision.booleanProperties) return known;
  return mapMembers(known, (field, value) => (field.endsWith('Schema') ? toObjectSchema(value) : value));
}

/** A schema in which objects take the place of properties that are `true` or `false`; undefined if it is not of objects. */
function toObjectSchema(schema: unknown): JsonObject | undefined {
  if (!isObject(schema) || schema.type !== 'object') return undefined;
  const { properties } = schema;
  if (!isObject(properties)) return schema;
  const toObject = (_: string, property: unknown) =>
    property === true ? {} : property === false ? { not: {} } : property;
  return { ...schema, properties: mapMembers(properties, toObject) };
}

/** Where tools have no title of their own, it stands in their annotations. */
function withTitle(revision: Revision, tool: JsonObject): JsonObject {
  const { title, annotations } = tool;
  if (title === undefined || !revision.omit.tool.includes('title')) return tool;
  return { ...tool, annotations: { title, ...(annotations as JsonObject | undefined) } };
}

function encodePrompt(revision: Revision, prompt: JsonObject): JsonObject {
  const known = omit(revision, 'prompt', prompt);
  return mapList(known, 'arguments', argument => omit(revision, 'argument', argument));
}

/** Translates a content block into a revision, which may replace it with a block of another type. */
export function encodeBlock(revision: Revision, block: ContentBlock): JsonObject {
  const replace = revision.replace[block.type];
  const known = replace ? replace(block as never) : block;
  switch (known.type) {
    case 'resource_link':
      return encodeDescribed(revision, 'resource', known as unknown as JsonObject);
    case 'resource': {
      const embedded = encodeDescribed(revision, 'block', known as unknown as JsonObject);
      return { ...embedded, resource: omit(revision, 'contents', known.resource as unknown as JsonObject) };
    }
    default:
      return encodeDescribed(revision, 'block', known as unknown as JsonObject);
  }
}

/** Encodes an object that may have annotations. */
function encodeDescribed(revision: Revision, shape: Shape, object: JsonObject): JsonObject {
  const known = omit(revision, shape, object);
  if (!isObject(known.annotations) || revision.omit.annotations.length === 0) return known;
  return { ...known, annotations: omit(revision, 'annotations', known.annotations) };
}

/** Whether content can be sent unchanged. */
function knowsAllContent(revision: Revision): boolean {
  return (
    revision.omit.block.length === 0 &&
    revision.omit.resource.length === 0 &&
    Object.keys(revision.replace).length === 0
  );
}

function mapMembers(object: JsonObject, map: (name: string, value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(name, value)]));
}

function mapList(object: JsonObject, key: string, encode: (item: JsonObject) => JsonObject): JsonObject {
  const list = object[key];
  return Array.isArray(list) ? { ...object, [key]: list.map(encode) } : object;
}

/** An object without the fields that a revision does not know; the object itself if it has none of them. */
export function omit(revision: Revision, shape: Shape, object: JsonObject): JsonObject {
  const fields = revision.omit[shape];
  for (const field of fields) if (field in object) return without(object, fields);
  return object;
}

function without(object: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)));
}
