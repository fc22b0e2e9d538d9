import { loopback, type SignIn, signIn } from 'tenon/auth/client';
import type { ConnectOptions } from 'tenon/client';

/** Credentials are only sent where others cannot read them, and not in addition to those that the user gave. */
export function maySignIn(target: string | URL, { headers = {} }: ConnectOptions): boolean {
  const { protocol, hostname } = new URL(target);
  const isPrivate = protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return isPrivate && !Object.keys(headers).some(name => name.toLowerCase() === 'authorization');
}

/** Signs in when the server wants it. `show` gets the address of the sign-in, and undefined when it is over. */
export function signInOnPage(show: (address: string | undefined) => void): SignIn {
  const browser = loopback({ open: url => show(url.href) });
  return signIn({
    clientName: 'Tenon',
    redirect: {
      async prepare(known) {
        const redirection = await browser.prepare(known);
        return {
          ...redirection,
          visit: (url, signal) => redirection.visit(url, signal).finally(() => show(undefined)),
        };
      },
    },
  });
}
