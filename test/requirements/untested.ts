/** The requirements that no test shows yet. This list only gets shorter: an id that has a test must go. */
export const UNTESTED: readonly string[] = [
  '2025-03-26/authorization/version-header-on-discovery',
  '2025-06-18/ping/failures-are-logged',
];
