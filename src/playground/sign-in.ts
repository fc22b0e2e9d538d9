import { loopback, type SignIn, signIn } from 'tenon/auth/client';
import type { ConnectOptions } from 'tenon/client';

/** Credentials are only sent where others cannot read them, and not in addition to those that the user gave. */
export function maySignIn(target: string | URL, { headers = {} }: ConnectOptions): boolean {
  const { protocol, hostname } = new URL(target);
  const isPrivate = protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return isPrivate && !Object.keys(headers).some(name => name.toLowerCase() === 'authorization');
}

/** Signs in when the server wants it. `show` gets the address of the sign-in, which the user opens. */
export function signInOnPage(show: (address: string) => void): SignIn {
  return signIn({ clientName: 'Tenon', redirect: loopback({ open: url => show(url.href) }) });
}
