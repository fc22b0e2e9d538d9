import { digest } from '../../base/digest.js';
import { UsageError } from '../../base/errors.js';
import type { Awaitable } from '../../base/settle.js';
import type { ClientAuth } from '../http/access.js';
import { AccessError } from './errors.js';
import { type Demand, readDemand, refusalReason } from './www-authenticate.js';

/**
 * Uses a token that you have, such as an API key. A function is called for each request, once more if the server
 * refuses the token, and whenever the client looks for a private result in its cache.
 *
 * @example
 * await connect(url, { auth: bearer(token) });
 */
export function bearer(token: string | (() => Awaitable<string>)): ClientAuth {
  const get = typeof token === 'function' ? async () => checkToken(await token()) : () => token;
  if (typeof token !== 'function') checkToken(token);
  return {
    authorizer(serverUrl) {
      const { origin } = new URL(serverUrl);
      return {
        identity: async () => digest(await get()),
        begin(request) {
          let last: string | undefined;
          let isTriedAgain = false;
          return {
            async headers(): Promise<Record<string, string>> {
              if (new URL(request.url).origin !== origin) return {};
              last = await get();
              return { authorization: `Bearer ${last}` };
            },
            heard() {},
            async refused(response) {
              const demand = readDemand(response.header('www-authenticate'));
              if (response.status !== 401 && demand.error !== 'insufficient_scope') return false;
              const isOther = typeof token === 'function' && (await get()) !== last;
              if (isTriedAgain || !isOther) throw refusal(demand);
              isTriedAgain = true;
              return true;
            },
          };
        },
      };
    },
  };
}

function refusal(demand: Demand): AccessError {
  if (demand.error === 'insufficient_scope' && demand.scope)
    return new AccessError('scope', `the token lacks scopes: the server requires ${demand.scope}`);
  return new AccessError('refused', `the server refuses the token${refusalReason(demand)}`);
}

/** JavaScript callers may pass a variable of the environment that is not set. */
function checkToken(token: string): string {
  if (/^bearer /i.test(token))
    throw new UsageError('bearer adds the word Bearer by itself: give it the token alone');
  if (typeof token === 'string' && /^[\x20-\x7e]+$/.test(token)) return token;
  throw new UsageError('bearer needs a token, a text of visible ASCII characters; is its variable set?');
}
