import { ERROR, McpError } from '../protocol/errors.js';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  endOfString,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './characters.js';
import { MAX_DEPTH, MAX_SENT_CONTAINERS, MAX_SENT_NAMES, MAX_SENT_VALUES } from './limits.js';
import { countColons, countMembers, ENVELOPE_DEPTH, findRepeatedName } from './repeated-names.js';

/** What the text of a client contains: a message, or a batch. */
export interface ParsedText {
  value: unknown;
  /** About how many bytes of memory it takes, which may be twenty times its length. */
  weight: number;
  /** A name that an object of the outer levels has more than once. Such a message must be refused. */
  repeatedName: string | undefined;
}

/** Upper estimates of what V8 takes for an array or object, for a name with its value, and for a value in a list. */
const CONTAINER_BYTES = 48;
const NAME_BYTES = 64;
const VALUE_BYTES = 12;
/** What the server keeps for a message beside its content. */
export const MESSAGE_BYTES = 4096;
/** What a character of a short text takes, whatever it is. */
const SHORT_TEXT_FACTOR = 8;

/**
 * Parses the text of a client. Throws `-32700` for text that is not JSON, and `-32600` for a value that is nested too
 * deep to be walked recursively, or has too many parts.
 */
export function parseText(text: string): ParsedText {
  // A text of n characters opens at most n/2 levels, so short texts need no closer look.
  const isShort = text.length <= MAX_DEPTH * 2;
  const scanned = isShort ? undefined : scan(text);
  const value = parseAny(text);
  if (isShort && countColons(text) === countMembers(value, MAX_DEPTH)) {
    return { value, weight: MESSAGE_BYTES + text.length * SHORT_TEXT_FACTOR, repeatedName: undefined };
  }
  const { weight, outerNames } = scanned ?? scan(text);
  const isUnique = outerNames === countMembers(value, ENVELOPE_DEPTH);
  return { value, weight, repeatedName: isUnique ? undefined : findRepeatedName(text) };
}

function parseAny(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new McpError(ERROR.parse, 'the message is not valid JSON', undefined, { cause });
  }
}

interface Scan {
  weight: number;
  /** How many names the objects of the outer levels have; a repeated name counts every time. */
  outerNames: number;
}

/** Looks through a text before it is parsed. Throws `-32600` if it exceeds a limit. */
function scan(text: string): Scan {
  let depth = 0;
  let containers = 0;
  let names = 0;
  let outerNames = 0;
  let commas = 0;
  // An unterminated string is left to the parser, which reports it.
  for (let at = 0; at >= 0 && at < text.length; ) {
    const char = text.charCodeAt(at++);
    // White space and numbers, which may be megabytes long.
    if (char < QUOTE || (char > COMMA && char < COLON)) continue;
    switch (char) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case COMMA:
        commas++;
        break;
      case COLON:
        names++;
        if (depth <= ENVELOPE_DEPTH) outerNames++;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        containers++;
        if (++depth > MAX_DEPTH) refuse(`is nested deeper than ${MAX_DEPTH} levels`);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--;
        break;
    }
  }
  if (names > MAX_SENT_NAMES) refuse(`has more than ${MAX_SENT_NAMES} members of objects`);
  if (containers > MAX_SENT_CONTAINERS) refuse(`has more than ${MAX_SENT_CONTAINERS} arrays and objects`);
  if (commas > MAX_SENT_VALUES) refuse(`has more than ${MAX_SENT_VALUES} values`);
  const parts = containers * CONTAINER_BYTES + names * NAME_BYTES + commas * VALUE_BYTES;
  return { weight: MESSAGE_BYTES + text.length + parts, outerNames };
}

function refuse(problem: string): never {
  throw new McpError(ERROR.invalidRequest, `the message ${problem}`);
}
