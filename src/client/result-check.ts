import { isObject, type JsonObject } from '../base/json.js';
import { InvalidAnswer } from '../protocol/failures.js';
import { removeUnsafeIcons } from './icons.js';

/**
 * Throws `InvalidAnswer` if the result of a method of the protocol does not have the shape that its type promises.
 * Icons that applications must not show are removed from it.
 */
export function checkResult(method: string, result: JsonObject, warn: (message: string) => void): void {
  const problem = RESULTS.get(method)?.(result, '');
  if (problem) throw new InvalidAnswer(`the result of ${method} is malformed: ${problem}`);
  for (const item of (result[DESCRIBED.get(method) ?? ''] ?? []) as JsonObject[]) {
    removeUnsafeIcons(method === 'prompts/get' ? (item.content as JsonObject) : item, warn);
  }
}

/** The lists in results whose items may have icons. */
const DESCRIBED: ReadonlyMap<string, string> = new Map([
  ['tools/list', 'tools'],
  ['tools/call', 'content'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
  ['prompts/get', 'messages'],
]);

/** Returns what is wrong with the value at a place in a result; undefined if nothing. */
type Check = (value: unknown, place: string) => string | undefined;

const text: Check = (value, place) => (typeof value === 'string' ? undefined : `${place} must be a text`);

const role: Check = (value, place) =>
  value === 'user' || value === 'assistant' ? undefined : `${place} must be user or assistant`;

const textContents = object({ uri: text, text });
const blobContents = object({ uri: text, blob: text });
const contents: Check = (value, place) =>
  (isObject(value) && value.blob !== undefined ? blobContents : textContents)(value, place);

const anyBlock = object({ type: text });
/** Later revisions may add types. */
const BLOCKS: ReadonlyMap<unknown, Check> = new Map([
  ['text', object({ text })],
  ['image', object({ data: text, mimeType: text })],
  ['audio', object({ data: text, mimeType: text })],
  ['resource_link', object({ uri: text, name: text })],
  ['resource', object({ resource: contents })],
]);
const block: Check = (value, place) =>
  (BLOCKS.get((value as JsonObject | null | undefined)?.type) ?? anyBlock)(value, place);

/** Some servers write null at the end of a list. A number that was read as the end would hide the other pages. */
const nextCursor: Check = (value, place) => (value == null ? undefined : text(value, place));

const RESULTS: ReadonlyMap<string, Check> = new Map([
  // Tools that cannot be called are left out one by one.
  ['tools/list', object({ tools: list(() => undefined), nextCursor })],
  ['tools/call', object({ content: list(block) })],
  ['resources/list', object({ resources: list(object({ uri: text, name: text })), nextCursor })],
  [
    'resources/templates/list',
    object({ resourceTemplates: list(object({ uriTemplate: text, name: text })), nextCursor }),
  ],
  ['resources/read', object({ contents: list(contents) })],
  ['prompts/list', object({ prompts: list(object({ name: text })), nextCursor })],
  ['prompts/get', object({ messages: list(object({ role, content: block })) })],
  ['completion/complete', object({ completion: object({ values: list(text) }) })],
]);

function object(members: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(members);
  return (value, place) => {
    if (!isObject(value)) return `${place} must be an object`;
    for (const [name, check] of checks) {
      const problem = check(value[name], place === '' ? name : `${place}.${name}`);
      if (problem) return problem;
    }
    return undefined;
  };
}

function list(check: Check): Check {
  return (value, place) => {
    if (!Array.isArray(value)) return `${place} must be a list`;
    for (let at = 0; at < value.length; at++) {
      const problem = check(value[at], `${place}[${at}]`);
      if (problem) return problem;
    }
    return undefined;
  };
}
