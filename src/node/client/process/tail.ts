/** Keeps the end of a text of unlimited length. */
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
    // Not on each call, because every cut copies the rest.
    if (this.#text.length > 2 * this.#maxLength) this.#text = this.text;
  }
}
