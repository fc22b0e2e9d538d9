/** A place where a handler waits until the test says go on. */
export interface Gate<T> {
  readonly passed: Promise<T>;
  open(value: T): void;
}

export function createGate<T = void>(): Gate<T> {
  let open!: (value: T) => void;
  const passed = new Promise<T>(resolve => {
    open = resolve;
  });
  return { passed, open };
}
