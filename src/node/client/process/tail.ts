/** The end of a text that may go on for ever. */
export class Tail {
  readonly #maxLength: number;
  #text = '';

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get text(): string {
    return this.#text.slice(-this.#maxLength);
  }

  add(text: string): void {
    this.#text += text;
    // Only now and then, because every cut copies what is left.
    if (this.#text.length > 2 * this.#maxLength) this.#text = this.text;
  }

  /** The last few lines that say something. */
  lines(count: number): string[] {
    return this.text
      .split('\n')
      .map(line => line.trimEnd())
      .filter(line => line !== '')
      .slice(-count);
  }
}
