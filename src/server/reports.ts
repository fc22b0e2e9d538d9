import type { Reporting } from '../protocol/service.js';

/** Passes the errors and warnings of a server on to its author, or prints them. */
export class Reports {
  readonly #server: string;
  readonly #options: Reporting;

  /** What is changed in the options holds from then on. */
  constructor(server: string, options: Reporting) {
    this.#server = server;
    this.#options = options;
  }

  readonly error = (error: unknown, where: string): void => {
    const { onError = (thrown, place) => console.error(`[${this.#server}] ${place}:`, thrown) } =
      this.#options;
    this.#tell(async () => onError(error, where), where);
  };

  readonly warning = (message: string, where: string): void => {
    const { onWarning = (text, place) => console.warn(`[${this.#server}] warning about ${place}: ${text}`) } =
      this.#options;
    this.#tell(async () => onWarning(message, where), where);
  };

  /** Reporting an error must not throw another one: some errors cannot even be printed. */
  #tell(tell: () => Promise<void>, where: string): void {
    tell().catch(() => console.error(`[${this.#server}] ${where}: failed, and so did reporting it`));
  }
}
