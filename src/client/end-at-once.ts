/** Lets `return()` abort the work of a generator. By itself it waits until a pending `next()` has a value. */
export function endAtOnce<T>(
  generator: AsyncGenerator<T, void, undefined>,
  controller: AbortController,
): AsyncGenerator<T, void, undefined> {
  const end = generator.return.bind(generator);
  generator.return = () => {
    controller.abort();
    return end();
  };
  return generator;
}
