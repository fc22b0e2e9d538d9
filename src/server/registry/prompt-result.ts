import { asJson, isObject } from '../../base/json.js';
import type { Awaitable } from '../../base/settle.js';
import type { Call } from '../../protocol/call.js';
import type { ContentBlock } from '../../protocol/content.js';
import type { PromptMessage } from '../../protocol/prompts.js';
import { invalidReturn } from './registration.js';
import { asksByHand, checkBlock, isBlock, readMeta, toQuestions } from './returned.js';

/** Makes a result of the value that the handler of a prompt returned. Throws a `UsageError` if clients could not use it. */
export function toPromptResult(
  call: Call,
  returned: unknown,
  description: string | undefined,
  what: string,
): Awaitable<object> {
  if (asksByHand(returned)) return toQuestions(call, returned, () => throwInvalidReturn(what));
  const about = description === undefined ? {} : { description };
  if (isObject(returned) && Array.isArray(returned.messages)) {
    const { messages, ...others } = returned;
    const rest = asJson(others);
    if (!isObject(rest)) return throwInvalidReturn(what);
    const meta = rest._meta === undefined ? {} : { _meta: readMeta(rest._meta, what) };
    const list = (messages as unknown[]).map(item => toMessage(item, what));
    return { ...about, ...rest, messages: list, ...meta };
  }
  const list = Array.isArray(returned) ? returned : [returned];
  return { ...about, messages: list.map(item => toMessage(item, what)) };
}

function toMessage(returned: unknown, what: string): PromptMessage {
  if (typeof returned === 'string') return { role: 'user', content: { type: 'text', text: returned } };
  const value = asJson(returned);
  if (isBlock(value)) return { role: 'user', content: toBlock(value, what) };
  if (isObject(value) && (value.role === 'user' || value.role === 'assistant') && isBlock(value.content)) {
    return { role: value.role, content: toBlock(value.content, what) };
  }
  return throwInvalidReturn(what);
}

/** A checked block. Prompts must name the MIME type of the resources in them. */
function toBlock(value: ContentBlock, what: string): ContentBlock {
  const block = checkBlock(value, what);
  if (block.type !== 'resource' || block.resource.mimeType !== undefined) return block;
  const mimeType = 'text' in block.resource ? 'text/plain' : 'application/octet-stream';
  return { ...block, resource: { ...block.resource, mimeType } };
}

function throwInvalidReturn(what: string): never {
  throw invalidReturn(
    what,
    'a prompt',
    'a string, a content block, a message { role, content }, or a list of these',
  );
}
