/** Lets the process end although a timer is set, on runtimes that would otherwise wait for it. */
export function inBackground<T>(timer: T): T {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
