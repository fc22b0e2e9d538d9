import type { HeaderMap, TraceEntry } from './entry.js';

/** Stands for a secret. */
export const MASKED = '[masked]';

/** Names of members, headers and parameters whose values are secrets. */
const SECRET_NAME =
  /(?:^|[_.-])(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|jwt|api[_-]?key|private[_-]?key|access[_-]?key|auth(?:orization)?|cookies?|credentials?|otp|pin|cvc|cvv)$/;
/** Names that look like those of secrets, but are not. */
const HARMLESS_NAME = /^(?:progress|max|input|output|total|prompt|completion)[_-]?tokens?$/i;
/** Sealed states can continue the request of another user, and ids of sessions can use the session. */
const SHORTENED_NAMES = new Set(['requeststate', 'sessionid', 'session_id', 'mcp-session-id']);

const SECRETS_IN_TEXT: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${MASKED}`],
  [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, MASKED],
  [
    /\b(?:sk|pk|rk)[-_][\w-]{16,}|\bgh[opsur]_\w{20,}|\bgithub_pat_\w{20,}|\bxox[abprs]-[\w-]{10,}|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}/g,
    MASKED,
  ],
  [/(:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g, `$1${MASKED}`],
  [
    /((?:access_token|refresh_token|id_token|token|api_?key|password|secret|client_secret|code|code_verifier)["']?\s*[=:]\s*["']?)(?!\[masked\])[^\s"'&,;}]{4,}/gi,
    `$1${MASKED}`,
  ],
  [/((?:sessionId|session_id)=)([^&\s"']{4})[^&\s"']*/gi, '$1$2…'],
];

/** An entry without secrets. Its shape stays the same. */
export function maskEntry(entry: TraceEntry): TraceEntry {
  const { message, text, request, response, end } = entry;
  return {
    ...entry,
    ...(message && { message: maskValue(message) as Record<string, unknown> }),
    ...(text !== undefined && { text: maskText(text) }),
    ...(request && {
      request: { ...request, path: maskText(request.path), headers: maskHeaders(request.headers) },
    }),
    ...(response && { response: { ...response, headers: maskHeaders(response.headers) } }),
    ...(end !== undefined && { end: maskText(end) }),
  };
}

/** A text without the secrets that can be told by their form. */
export function maskText(text: string): string {
  return SECRETS_IN_TEXT.reduce((masked, [secret, instead]) => masked.replace(secret, instead), text);
}

/** An address without its user, its password and secrets in its parameters. */
export function maskAddress(address: string): string {
  return maskText(address.replace(/\/\/[^/@]*@/, `//${MASKED}@`));
}

function maskHeaders(headers: HeaderMap): HeaderMap {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, maskMember(name, value) as string]),
  );
}

function maskValue(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(maskValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskMember(name, one)]));
}

/** Only texts and numbers are secrets: in a schema, `password` is the name of an object. */
function maskMember(name: string, value: unknown): unknown {
  if (typeof value === 'string' && SHORTENED_NAMES.has(name.toLowerCase())) return shorten(value);
  if (!isSecretName(name)) return maskValue(value);
  if (typeof value === 'string' || typeof value === 'number') return maskScheme(value);
  if (Array.isArray(value)) return value.map(one => (typeof one === 'object' ? maskValue(one) : MASKED));
  return maskValue(value);
}

function isSecretName(name: string): boolean {
  if (HARMLESS_NAME.test(name)) return false;
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  return SECRET_NAME.test(words) || words === 'set-cookie';
}

/** The scheme of credentials, such as Bearer, is no secret. */
function maskScheme(value: string | number): string {
  const [, scheme] = /^(Bearer|Basic|DPoP|Digest)\s/i.exec(String(value)) ?? [];
  return scheme ? `${scheme} ${MASKED}` : MASKED;
}

/** Enough of it to tell it from others. */
function shorten(id: string): string {
  return id.length >= 24
    ? `${id.slice(0, 4)}…${id.slice(-4)}`
    : `${id.slice(0, Math.min(4, id.length / 2))}…`;
}
