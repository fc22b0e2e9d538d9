import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileStore, type SignIn, signIn } from 'tenon/auth/client';

/** Lets the user sign in with the browser. What the user was granted is kept for the next command. */
export function rememberedSignIn(): SignIn {
  const folder = process.env.XDG_CONFIG_HOME || process.env.APPDATA || join(homedir(), '.config');
  return signIn({
    clientName: 'Tenon command line',
    store: fileStore(join(folder, 'tenon', 'credentials.json')),
  });
}
