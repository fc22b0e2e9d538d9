/** The parameters of a challenge that this server uses. */
export interface ChallengeParameters {
  error?:
    | 'invalid_request'
    | 'invalid_token'
    | 'insufficient_scope'
    | 'invalid_dpop_proof'
    | 'use_dpop_nonce';
  error_description?: string;
  resource_metadata?: string;
  scope?: string;
  algs?: string;
}

/**
 * A challenge as the value of `WWW-Authenticate`.
 * @see https://www.rfc-editor.org/rfc/rfc6750#section-3
 */
export function formatChallenge(scheme: 'Bearer' | 'DPoP', parameters: ChallengeParameters): string {
  const { error, error_description, resource_metadata, scope, algs } = parameters;
  const known = Object.entries({ error, error_description, resource_metadata, scope, algs }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  const text = known.map(([name, value]) => `${name}="${quotable(value)}"`).join(', ');
  return text === '' ? scheme : `${scheme} ${text}`;
}

/** Replaces characters that would end the quoted string or the header. */
function quotable(value: string): string {
  return value.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?');
}
