/** Collects the values of an option that may be repeated, for commander. */
export function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}
