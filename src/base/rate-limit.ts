/** Lets so many things pass per second on average, without a timer. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #burst: number;
  #left: number;
  #earnedAt = performance.now();

  /** `burst` things may pass at once after a quiet time. */
  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond;
    this.#burst = Math.max(1, burst);
    this.#left = this.#burst;
  }

  /** Whether one more may pass now. */
  take(): boolean {
    if (this.#left < 1) this.#earn();
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }

  #earn(): void {
    const now = performance.now();
    const earned = ((now - this.#earnedAt) / 1000) * this.#perSecond;
    this.#left = Math.min(this.#burst, this.#left + earned);
    this.#earnedAt = now;
  }
}
