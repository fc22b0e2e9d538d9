const shared = new WeakSet<object>();

/**
 * Marks a result that is the same for many requests and never changes, such as a page of a list, so that its encoding
 * can be cached.
 */
export function shareResult<T extends object>(result: T): T {
  shared.add(result);
  return result;
}

export function isShared(result: object): boolean {
  return shared.has(result);
}
