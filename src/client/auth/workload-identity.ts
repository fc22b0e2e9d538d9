import { decodeJwt } from 'jose';
import type { AuthorizationServer } from 'oauth4webapi';
import type { Awaitable } from '../../base/settle.js';
import { AccessError } from './errors.js';
import type { Wanted } from './grant.js';
import { JwtBearerGrant } from './jwt-bearer.js';
import { givenScopes } from './scopes.js';
import type { CredentialStore } from './store.js';

export interface WorkloadIdentityOptions {
  clientId: string;
  /** Gets the token of the workload, anew each time: platforms replace it every now and then. */
  assertion: () => Awaitable<string>;
  /**
   * The authorization server that may see the token. Without it, only the one that the token names as its audience.
   */
  issuer?: string | undefined;
  /** Scopes to ask for beside those that the server wants. */
  scopes?: readonly string[] | undefined;
}

/** The platform that a program runs on says who it is. */
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
    `the token of the workload is for ${audiences.join(', ') || 'nobody'}, not for ${issuer}; it was not sent. Pass \`issuer\` if that authorization server may see it`,
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
