/** Counts what happens, and collects what must not. */
export class Report {
  readonly #counts = new Map<string, number>();
  /** Promises that were broken. */
  readonly problems: string[] = [];
  /** Told of each of them. */
  onProblem: ((text: string) => void) | undefined;

  count(what: string, by = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + by);
  }

  get(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  problem(text: string): void {
    this.problems.push(text);
    this.onProblem?.(text);
  }

  /** All counts as lines, in the order of their names. */
  lines(): string[] {
    const names = [...this.#counts.keys()].sort();
    return names.map(name => `${name}: ${this.get(name).toLocaleString('en')}`);
  }
}
