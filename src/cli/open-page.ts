import { openBrowser } from 'tenon/auth/client';

/** Opens a page in the user's browser. Resolves with false if there is no browser to open, or the page must not be. */
export async function openPage(address: string): Promise<boolean> {
  return openBrowser(new URL(address)).then(
    () => true,
    () => false,
  );
}
