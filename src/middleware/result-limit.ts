import {
  type CallToolResult,
  type ContentBlock,
  type MiddlewareLayer,
  type Server,
  UsageError,
} from '../server/index.js';

/** Options of `resultLimit`. */
export interface ResultLimitOptions {
  /** How many characters the texts of a tool result may have together: 100,000 by default. */
  maxCharacters?: number | undefined;
  /** How many cut texts are kept to be read: 100 by default. The oldest is forgotten first. */
  maxKept?: number | undefined;
}

interface Kept {
  readonly text: string;
  readonly principal: string | undefined;
}

/**
 * Cuts the texts of tool results that are too long for a model. The text that was cut is followed by a note, and by a link
 * to a resource with the rest, which only the same principal can read.
 *
 * @example
 * server.use(resultLimit(server, { maxCharacters: 20_000 }));
 */
export function resultLimit(server: Server, options: ResultLimitOptions = {}): MiddlewareLayer {
  const { maxCharacters = 100_000, maxKept = 100 } = options;
  if (!(maxCharacters > 0)) throw new UsageError('maxCharacters must be a positive number');
  const kept = new Map<string, Kept>();
  server.resource(
    'tenon-rest://{id}',
    { name: 'rest', description: 'The rest of a long result' },
    ({ id }, ctx) => {
      const found = kept.get(id);
      return found && found.principal === ctx.caller?.principal
        ? found.text
        : 'The rest of this result is no longer kept. Call the tool again, and ask for less.';
    },
  );
  const keep = (text: string, principal: string | undefined) => {
    const id = crypto.randomUUID();
    kept.set(id, { text, principal });
    if (kept.size > maxKept) kept.delete(kept.keys().next().value as string);
    return `tenon-rest://${id}`;
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
function cut(result: CallToolResult, maxCharacters: number, keep: (rest: string) => string): CallToolResult {
  let left = maxCharacters;
  let rest = '';
  const content = (result.content ?? []).flatMap((block): ContentBlock[] => {
    if (block.type !== 'text') return [block];
    const text = block.text.slice(0, left);
    left -= text.length;
    rest += block.text.slice(text.length);
    return text === '' && block.text !== '' ? [] : [{ ...block, text }];
  });
  if (rest === '') return result;
  const note = `The result was cut after ${maxCharacters} characters; ${rest.length} more are in the linked resource.`;
  const link = { type: 'resource_link' as const, uri: keep(rest), name: 'rest', mimeType: 'text/plain' };
  return { ...result, content: [...content, { type: 'text', text: note }, link] };
}
