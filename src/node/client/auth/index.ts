import '../../node-version.js';

import { createGuardedFetch } from '../../../client/auth/guarded-fetch.js';
import { type AuthMethods, createAuthMethods } from '../../../client/auth/methods.js';
import { loopback } from './loopback.js';
import { createPinnedFetch } from './pinned-fetch.js';

export {
  AccessError,
  AccessUnreachable,
  bearer,
  memoryStore,
  SignInRequired,
  TenonError,
  UsageError,
} from '../../../client/auth/index.js';
export { fileStore } from './file-store.js';
export { openBrowser } from './open-browser.js';
export { loopback };

const methods = createAuthMethods({
  createFetch: rules => createGuardedFetch(createPinnedFetch(rules), rules),
  createRedirect: loopback,
});

/**
 * Lets the user sign in when the server requires it; by default in their browser.
 *
 * @example
 * const client = await connect('https://bistro.example/mcp', { auth: signIn() });
 */
export const signIn: AuthMethods['signIn'] = methods.signIn;

export const clientCredentials: AuthMethods['clientCredentials'] = methods.clientCredentials;
export const workloadIdentity: AuthMethods['workloadIdentity'] = methods.workloadIdentity;
export const enterprise: AuthMethods['enterprise'] = methods.enterprise;
