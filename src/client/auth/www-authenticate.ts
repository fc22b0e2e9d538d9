/** What a server requires, according to its `WWW-Authenticate` header. */
export interface Demand {
  error?: string;
  /** Explains the error to people. */
  description?: string;
  scope?: string;
  resourceMetadata?: string;
}

/** Longer headers are ignored. */
const MAX_LENGTH = 16 * 1024;
const MAX_REASON = 500;

const TOKEN = /[!#$%&'*+.^`|~\w-]+/y;
const PARAMETER = /[!#$%&'*+.^`|~\w-]+[ \t]*=[ \t]*(?:"(?:[^"\\]|\\.)*"|[!#$%&'*+.^`|~\w-]+)/y;
const TOKEN68 = /[\w.~+/-]+=*/y;
const GAP = /[ \t,]*/y;

/**
 * Reads the challenges of a header for the schemes that carry access tokens.
 *
 * @example
 * readDemand('Bearer error="insufficient_scope", scope="menu:write"'); // { error: 'insufficient_scope', … }
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
 */
export function readDemand(header: string | undefined): Demand {
  const challenges = readChallenges(header ?? '').filter(({ scheme }) => /^(bearer|dpop)$/i.test(scheme));
  const find = (name: string) =>
    challenges.find(({ parameters }) => parameters.has(name))?.parameters.get(name);
  const [error, description] = [find('error'), find('error_description')];
  const [scope, resourceMetadata] = [find('scope'), find('resource_metadata')];
  return {
    ...(error !== undefined && { error }),
    ...(description !== undefined && { description }),
    ...(scope !== undefined && { scope }),
    ...(resourceMetadata !== undefined && { resourceMetadata }),
  };
}

/** The reason that a server gives for refusing a token, to be added to a message. */
export function refusalReason({ error, description }: Demand): string {
  const reason = (description || error || '').slice(0, MAX_REASON);
  return reason && `: ${reason}`;
}

interface Challenge {
  scheme: string;
  parameters: Map<string, string>;
}

function readChallenges(header: string): Challenge[] {
  const challenges: Challenge[] = [];
  if (header.length > MAX_LENGTH) return challenges;
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const text = pattern.exec(header)?.[0];
    if (text) at += text.length;
    return text;
  };
  for (;;) {
    take(GAP);
    const current = challenges.at(-1);
    const parameter = current && take(PARAMETER);
    if (parameter) {
      addParameter(current.parameters, parameter);
      continue;
    }
    const scheme = take(TOKEN);
    // A malformed part ends the parsing; the challenges before it count.
    if (!scheme) return challenges;
    challenges.push({ scheme, parameters: new Map() });
    if (/[ \t]/.test(header[at] ?? '')) skipToken68(header, at, end => (at = end));
  }
}

/** Some schemes have one bare value instead of parameters. */
function skipToken68(header: string, at: number, skip: (end: number) => void): void {
  const start = at + (/^[ \t]+/.exec(header.slice(at, at + 64))?.[0].length ?? 0);
  TOKEN68.lastIndex = start;
  const end = start + (TOKEN68.exec(header)?.[0].length ?? 0);
  if (end > start && /^[ \t]*(,|$)/.test(header.slice(end, end + 64))) skip(end);
}

function addParameter(parameters: Map<string, string>, text: string): void {
  const split = text.indexOf('=');
  const name = text.slice(0, split).trim().toLowerCase();
  const value = text.slice(split + 1).trim();
  const plain = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
  // If a parameter is repeated, the first one counts.
  if (!parameters.has(name)) parameters.set(name, plain);
}
