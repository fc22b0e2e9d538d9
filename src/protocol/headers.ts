/**
 * The HTTP headers of the protocol, in lower case as they are looked up.
 *
 * @example
 * const version = request.headers.get(HEADER.protocolVersion);
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
 */
export const HEADER = {
  protocolVersion: 'mcp-protocol-version',
  sessionId: 'mcp-session-id',
  method: 'mcp-method',
  name: 'mcp-name',
  /** The prefix of headers that mirror arguments of a tool. */
  parameterPrefix: 'mcp-param-',
  lastEventId: 'last-event-id',
} as const;

/**
 * Encodes a value for a header: unchanged if every intermediary preserves it, otherwise in Base64.
 *
 * @example
 * encodeHeaderValue('us-west1'); // 'us-west1'
 * encodeHeaderValue(' crème '); // '=?base64?IGNyw6htZSA=?='
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
export function encodeHeaderValue(value: string | number | boolean): string {
  const text = isLargeInteger(value) ? String(BigInt(value)) : String(value);
  // An empty value and tabs would be legal too, but intermediaries drop the former and replace the latter.
  const isPlain = /^[!-~](?:[ -~]*[!-~])?$/.test(text) && !looksEncoded(text);
  return isPlain ? text : PREFIX + toBase64(new TextEncoder().encode(text)) + SUFFIX;
}

/**
 * Decodes the value of a header; undefined if it is malformed: characters that are not allowed in headers, Base64 that
 * an encoder would not have written, or text that is not UTF-8.
 *
 * @example
 * decodeHeaderValue('=?base64?IGNyw6htZSA=?='); // ' crème '
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
export function decodeHeaderValue(value: string): string | undefined {
  if (!looksEncoded(value)) return /^(?:[!-~](?:[\t -~]*[!-~])?)?$/.test(value) ? value : undefined;
  // In `=?base64?=` the prefix and the suffix overlap.
  if (value.length < PREFIX.length + SUFFIX.length) return undefined;
  return fromBase64(value.slice(PREFIX.length, -SUFFIX.length));
}

/**
 * Whether a value, written into a header unchanged, would end that header and could add others.
 *
 * @example
 * breaksFraming('a\r\nAuthorization: b'); // true
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
export function breaksFraming(value: string): boolean {
  return ['\r', '\n', '\0'].some(char => value.includes(char));
}

/**
 * Why a value cannot be an `x-mcp-header` annotation; undefined if it can.
 *
 * @example
 * headerNameProblem('Region'); // undefined
 * headerNameProblem('My Region'); // 'it has " ", and a header name can only have …'
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header
 */
export function headerNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string') return `it must be a string, not ${kindOf(name)}`;
  if (name === '') return 'it must not be empty';
  const wrong = /[^!#$%&'*+.^_`|~0-9A-Za-z-]/u.exec(name)?.[0];
  if (wrong === undefined) return undefined;
  return `it has ${JSON.stringify(wrong)}, and a header name can only have letters, digits and !#$%&'*+-.^_\`|~`;
}

/** The type of a JSON value, for messages. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

// Values

/** `String` writes such integers with an exponent. */
function isLargeInteger(value: string | number | boolean): value is number {
  return typeof value === 'number' && Math.abs(value) >= 1e21 && Number.isInteger(value);
}

const PREFIX = '=?base64?';
const SUFFIX = '?=';

function looksEncoded(text: string): boolean {
  return text.startsWith(PREFIX) && text.endsWith(SUFFIX);
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
}

function fromBase64(text: string): string | undefined {
  try {
    const binary = atob(text);
    // atob accepts spaces, missing padding and stray bits.
    if (btoa(binary) !== text) return undefined;
    const bytes = Uint8Array.from(binary, char => char.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
