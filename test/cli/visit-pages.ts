import type { User } from '../auth/client/user.js';

/** Opens the pages that were printed, as a browser does: with all redirects, also the one back to `tenon`. */
export async function visitPages(stderr: string, user: User): Promise<void> {
  const pages = [...stderr.matchAll(/^Open this page to sign in: (\S+)\n/gm)].map(([, url]) => url as string);
  const page = pages.at(-1);
  if (page === undefined || user.visits.some(({ href }) => href === page)) return;
  await fetch(await user.visit(new URL(page)));
}
