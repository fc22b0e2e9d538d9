const shared = new WeakSet<object>();

/**
 * Marks a result that is the same for many requests and never changes, such as a page of a list, so that its encoding
 * can be cached. It is frozen, because middleware sees it.
 */
export function shareResult<T extends object>(result: T): T {
  for (const member of Object.values(result)) if (Array.isArray(member)) Object.freeze(member);
  shared.add(Object.freeze(result));
  return result;
}

export function isShared(result: object): boolean {
  return shared.has(result);
}
