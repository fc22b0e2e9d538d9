import { CLOSE_BRACE, CLOSE_BRACKET, endOfString, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './characters.js';
import type { RequestId } from './message.js';

const METHOD = /"method"\s*:/y;
const ID = /"id"\s*:\s*("[^"\\]{0,1024}"|-?\d{1,15})\s*[,}]/y;

/**
 * The id of a request in a text that has too many parts to be parsed. Undefined if the text is no request, or if its id is
 * repeated or written in an unusual way.
 */
export function readOuterId(text: string): RequestId | undefined {
  let depth = 0;
  let hasMethod = false;
  const ids: RequestId[] = [];
  for (let at = 0; at >= 0 && at < text.length; ) {
    const begin = at++;
    switch (text.charCodeAt(begin)) {
      case QUOTE: {
        at = endOfString(text, at);
        if (depth !== 1) break;
        hasMethod ||= matchAt(METHOD, text, begin) !== undefined;
        const [, id] = matchAt(ID, text, begin) ?? [];
        if (id !== undefined) ids.push(JSON.parse(id));
        break;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth++;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--;
        break;
    }
  }
  return hasMethod && ids.length === 1 ? ids[0] : undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
