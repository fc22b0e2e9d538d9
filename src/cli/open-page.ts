import { openBrowser } from 'tenon/auth/client';

/** Opens a page in the user's browser. Resolves with false if there is no browser, or the page must not be opened. */
export async function openPage(address: string): Promise<boolean> {
  return openBrowser(new URL(address)).then(
    () => true,
    () => false,
  );
}
