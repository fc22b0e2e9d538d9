/** A value, or a promise for it. Most calls never wait, and then need no promise. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Runs some work and continues with its outcome: synchronously if the work returns a value, later if it returns a
 * promise. Errors that `onValue` throws also go to `onError`.
 *
 * @example
 * settle(() => handler(args), toResult, toErrorResult)
 */
export function settle<T, R>(
  work: () => Awaitable<T>,
  onValue: (value: T) => Awaitable<R>,
  onError: (thrown: unknown) => Awaitable<R>,
): Awaitable<R> {
  let value: Awaitable<T>;
  let isPending: boolean;
  try {
    value = work();
    isPending = isThenable(value);
  } catch (thrown) {
    return onError(thrown);
  }
  if (!isPending) return attempt(value as T, onValue, onError);
  return Promise.resolve(value).then(resolved => attempt(resolved, onValue, onError), onError);
}

/** Continues with a value, synchronously if it is not a promise. */
export function andThen<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Whether a condition is true of all items. They are checked in order, synchronously if no check returns a promise. */
export function isTrueOfAll<T>(
  items: readonly T[],
  isTrue: (item: T) => Awaitable<boolean>,
  from = 0,
): Awaitable<boolean> {
  for (let at = from; at < items.length; at++) {
    const outcome = isTrue(items[at] as T);
    if (outcome instanceof Promise) return outcome.then(was => was && isTrueOfAll(items, isTrue, at + 1));
    if (!outcome) return false;
  }
  return true;
}

/** Query builders and other realms have their own promises. */
function isThenable<T>(value: Awaitable<T>): value is Promise<T> {
  if (value instanceof Promise) return true;
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}

function attempt<T, R>(
  value: T,
  onValue: (value: T) => Awaitable<R>,
  onError: (thrown: unknown) => Awaitable<R>,
): Awaitable<R> {
  try {
    const outcome = onValue(value);
    return outcome instanceof Promise ? outcome.catch(onError) : outcome;
  } catch (thrown) {
    return onError(thrown);
  }
}
