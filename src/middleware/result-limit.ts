import { checkOptions, type OptionNames } from '../base/options.js';
import { ownText } from '../base/own-text.js';
import type { CallToolResult, ContentBlock, MiddlewareLayer, Server } from '../server/index.js';
import { checkAtLeast } from './check.js';
import { KeptTexts } from './kept-texts.js';
import { MAX_CUT_BYTES, MAX_CUT_TEXTS } from './limits.js';

/** Options of `resultLimit`. */
export interface ResultLimitOptions {
  /** How many characters the texts of a tool result may have together, those of embedded resources too: 100,000 by default. */
  maxCharacters?: number | undefined;
  /** How many cut texts are kept to be read: 100 by default. The oldest is forgotten first. */
  maxKept?: number | undefined;
  /** How many bytes these may take together: 64 MiB by default. There is no link to a rest that is larger. */
  maxKeptBytes?: number | undefined;
}

const RESULT_LIMIT_OPTIONS: OptionNames<ResultLimitOptions> = {
  maxCharacters: 1,
  maxKept: 1,
  maxKeptBytes: 1,
};

/**
 * Cuts the texts of tool results that are too long for a model. The text that was cut is followed by a note, and by a link
 * to a resource with the rest, which only the same principal can read.
 *
 * @example
 * server.use(resultLimit(server, { maxCharacters: 20_000 }));
 */
export function resultLimit(server: Server, options: ResultLimitOptions = {}): MiddlewareLayer {
  checkOptions(options, RESULT_LIMIT_OPTIONS, 'resultLimit');
  const { maxCharacters = 100_000, maxKept = MAX_CUT_TEXTS, maxKeptBytes = MAX_CUT_BYTES } = options;
  checkAtLeast('maxCharacters', maxCharacters, 1);
  checkAtLeast('maxKept', maxKept, 1);
  checkAtLeast('maxKeptBytes', maxKeptBytes, 1);
  const kept = new KeptTexts<{ principal: string | undefined }>(maxKept, maxKeptBytes);
  server.resource(
    'tenon-rest://{id}',
    { name: 'rest', description: 'The rest of a long result' },
    ({ id }, ctx) => {
      const found = kept.get(id);
      return found && found.about.principal === ctx.caller?.principal
        ? found.text
        : 'The rest of this result is no longer kept. Call the tool again, and ask for less.';
    },
  );
  const keep = (text: string, principal: string | undefined) => {
    const id = crypto.randomUUID();
    return kept.set(id, ownText(text), { principal }) ? `tenon-rest://${id}` : undefined;
  };
  return {
    name: 'resultLimit',
    async request(call, next) {
      const result = await next();
      if (call.method !== 'tools/call') return result;
      return cut(result as CallToolResult, maxCharacters, rest => keep(rest, call.principal));
    },
  };
}

/** A result whose texts are not longer than allowed. Structured content belongs to programs, and stays as it is. */
function cut(
  result: CallToolResult,
  maxCharacters: number,
  keep: (rest: string) => string | undefined,
): CallToolResult {
  let left = maxCharacters;
  let rest = '';
  const take = (text: string) => {
    const taken = start(text, left);
    left -= taken.length;
    rest += text.slice(taken.length);
    return taken;
  };
  const content = (result.content ?? []).flatMap((block): ContentBlock[] => {
    if (block.type === 'text') {
      const text = take(block.text);
      return text === '' && block.text !== '' ? [] : [{ ...block, text }];
    }
    if (block.type !== 'resource' || !('text' in block.resource)) return [block];
    const { resource } = block;
    const text = take(resource.text);
    return text === '' && resource.text !== '' ? [] : [{ ...block, resource: { ...resource, text } }];
  });
  if (rest === '') return result;
  const uri = keep(rest);
  const where = uri === undefined ? 'too many to be kept: ask for less' : 'in the linked resource';
  const note = `The result was cut after ${maxCharacters} characters; ${rest.length} more are ${where}.`;
  content.push({ type: 'text', text: note });
  if (uri !== undefined) content.push({ type: 'resource_link', uri, name: 'rest', mimeType: 'text/plain' });
  return { ...result, content };
}

/** The first characters of a text. A character of two halves is not split. */
function start(text: string, length: number): string {
  const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(length - 1)) && length < text.length;
  return text.slice(0, isSplit ? length - 1 : length);
}
