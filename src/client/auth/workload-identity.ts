import { decodeJwt } from 'jose';
import type { AuthorizationServer } from 'oauth4webapi';
import type { Awaitable } from '../../base/settle.js';
import { AccessError } from './errors.js';
import type { Wanted } from './grant.js';
import { JwtBearerGrant } from './jwt-bearer.js';
import { givenScopes } from './scopes.js';
import type { CredentialStore } from './store.js';

/** Options of `workloadIdentity`. */
export interface WorkloadIdentityOptions {
  clientId: string;
  /** Returns the token of the workload. Called each time, because platforms replace the token now and then. */
  assertion: () => Awaitable<string>;
  /** The authorization server that may see the token. Without it, only the one that the token names as its audience. */
  issuer?: string | undefined;
  /** Scopes to request in addition to those that the server asks for. */
  scopes?: readonly string[] | undefined;
}

/** The platform that runs the program vouches for its identity. */
export class WorkloadIdentityGrant extends JwtBearerGrant {
  readonly #options: WorkloadIdentityOptions;

  constructor(options: WorkloadIdentityOptions, store: CredentialStore) {
    const { clientId: id, issuer, scopes } = options;
    super({ id, issuer }, givenScopes(scopes), store);
    this.#options = options;
  }

  protected override async assert({ server }: Wanted): Promise<string> {
    const assertion = (await this.#options.assertion()).trim();
    if (this.#options.issuer === undefined) checkAudience(assertion, server);
    return assertion;
  }
}

function checkAudience(assertion: string, { issuer, token_endpoint }: AuthorizationServer): void {
  const audiences = audiencesOf(assertion).map(withoutSlash);
  const isMeant = [issuer, token_endpoint ?? issuer].some(meant => audiences.includes(withoutSlash(meant)));
  if (isMeant) return;
  throw new AccessError(
    'issuer',
    `the token of the workload is for ${audiences.join(', ') || 'no audience'}, not for ${issuer}; it was not sent. Pass \`issuer\` if that authorization server may see it`,
  );
}

function audiencesOf(assertion: string): string[] {
  try {
    const { aud } = decodeJwt(assertion);
    return [aud ?? []].flat();
  } catch (cause) {
    throw new AccessError('token', 'the token of the workload is no JWT; it was not sent', { cause });
  }
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}
