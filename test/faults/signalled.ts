/** A promise that a handler resolves when a test waits for it to have got somewhere. */
export interface Signalled<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

export function signalled<T = void>(): Signalled<T> {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>(resolvePromise => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
}
