import type { Database } from './database.js';

/** How many messages one statement publishes at most, and how many characters, unless one message has more. */
const MESSAGES_AT_ONCE = 200;
const CHARACTERS_AT_ONCE = 1_000_000;

interface Waiting {
  readonly topic: string;
  readonly message: string;
  resolve(): void;
  reject(error: unknown): void;
}

/** Publishes the messages of a node in their order: those that come while a statement runs are sent with the next. */
export class Publisher {
  readonly #database: Database;
  #waiting: Waiting[] = [];
  #isSending = false;

  constructor(database: Database) {
    this.#database = database;
  }

  publish(topic: string, message: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ topic, message, resolve, reject });
      if (!this.#isSending) void this.#send();
    });
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const sent = this.#waiting.splice(0, countAtOnce(this.#waiting));
      try {
        await this.#database.run(`SELECT ${this.#database.schema}.publish($1, $2)`, [
          sent.map(({ topic }) => topic),
          sent.map(({ message }) => message),
        ]);
        for (const { resolve } of sent) resolve();
      } catch (error) {
        // Those behind would only wait as long once more.
        for (const { reject } of [...sent, ...this.#waiting.splice(0)]) reject(error);
      }
    }
    this.#isSending = false;
  }
}

function countAtOnce(waiting: readonly Waiting[]): number {
  let characters = 0;
  const end = waiting.findIndex(({ message }) => {
    characters += message.length;
    return characters > CHARACTERS_AT_ONCE;
  });
  return Math.min(MESSAGES_AT_ONCE, end < 0 ? waiting.length : Math.max(1, end));
}
