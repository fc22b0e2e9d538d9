/** What the `WWW-Authenticate` header of a 401 or 403 says. */
export interface Challenge {
  readonly scheme: string;
  readonly resourceMetadata: string | undefined;
  readonly scope: string | undefined;
  readonly error: string | undefined;
  readonly description: string | undefined;
}

/** Reads the first challenge for a bearer token; undefined if there is none. */
export function readChallenge(header: string | undefined): Challenge | undefined {
  const [, scheme, rest = ''] = /\b(Bearer|DPoP)\b(.*)/is.exec(header ?? '') ?? [];
  if (scheme === undefined) return undefined;
  const find = (name: string) => {
    const [, quoted, bare] =
      new RegExp(`(?:^|[\\s,])${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,"]+))`, 'i').exec(rest) ?? [];
    return quoted?.replace(/\\(.)/g, '$1') ?? bare;
  };
  return {
    scheme,
    resourceMetadata: find('resource_metadata'),
    scope: find('scope'),
    error: find('error'),
    description: find('error_description'),
  };
}
