import type { Locator, Page } from 'playwright-core';

/** The entry of a list. */
export function link(page: Page, name: string): Locator {
  return page.getByRole('navigation').getByRole('link', { name });
}

/** The outcome of the latest call; there are two if two revisions are compared. */
export function lane(page: Page, at = 0): Locator {
  return page.getByRole('region', { name: 'Result on revision' }).nth(at);
}

/** The messages of the latest call on a revision. */
export function timeline(page: Page, revision: string): Locator {
  return page.getByRole('region', { name: `Messages on revision ${revision}` });
}

/** What each row of a timeline is called. */
export function titles(page: Page, revision: string): Promise<string[]> {
  return timeline(page, revision).locator('.message-title').allTextContents();
}
