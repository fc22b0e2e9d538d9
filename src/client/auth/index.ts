import { createGuardedFetch } from './guarded-fetch.js';
import { type AuthMethods, createAuthMethods } from './methods.js';

export { type ErrorKind, TenonError, UsageError } from '../../base/errors.js';
export { AccessUnreachable } from '../../protocol/failures.js';
export type { ClientAuth } from '../http/access.js';
export type { AuthorizationOptions } from './authorization.js';
export { bearer } from './bearer.js';
export type { ClientCredentialsOptions } from './client-credentials.js';
export type { ClientIdentity } from './client-identity.js';
export type { EnterpriseOptions } from './enterprise.js';
export { AccessError, type AuthProblem, SignInRequired } from './errors.js';
export { memoryStore } from './memory-store.js';
export type { AuthMethods, SignIn, SignInOptions } from './methods.js';
export { fileStore, loopback, openBrowser } from './node-only.js';
export type { CallbackPages, LoopbackOptions, Redirect, Redirection } from './redirect.js';
export type { RegistrationOptions } from './registration.js';
export type { CredentialStore, StoredCredentials } from './store.js';
export type { WorkloadIdentityOptions } from './workload-identity.js';

const methods = createAuthMethods({
  createFetch: rules => createGuardedFetch((url, init) => globalThis.fetch(url, init), rules),
});

/**
 * Lets the user sign in when the server requires it.
 *
 * @example
 * const client = await connect('https://bistro.example/mcp', { auth: signIn() });
 */
export const signIn: AuthMethods['signIn'] = methods.signIn;

/**
 * Acts on behalf of the program itself, with a secret or a key.
 *
 * @example
 * await connect(url, { auth: clientCredentials({ id: 'kitchen', secret: process.env.KITCHEN_SECRET }) });
 */
export const clientCredentials: AuthMethods['clientCredentials'] = methods.clientCredentials;

/**
 * Acts on behalf of the program itself, with the token that its platform issues.
 *
 * @example
 * await connect(url, { auth: workloadIdentity({ clientId: 'kitchen', assertion: () => readFile(path, 'utf8') }) });
 */
export const workloadIdentity: AuthMethods['workloadIdentity'] = methods.workloadIdentity;

/** Acts on behalf of a user of an enterprise, which decides which servers they may use, with their ID token. */
export const enterprise: AuthMethods['enterprise'] = methods.enterprise;
