/** Pages that are linked to and still being written. */
export const COMING_PAGES: ReadonlySet<string> = new Set([
  'docs/frameworks.md',
  'docs/models.md',
  'docs/reference/README.md',
]);
