import type { Account } from './ledger.js';

/** Bytes that an account holds until they are released. */
export class Charge {
  readonly #account: Account;
  #bytes: number;

  constructor(account: Account, bytes: number) {
    this.#account = account;
    this.#bytes = bytes;
  }

  /** May be called again. */
  release(): void {
    const bytes = this.#bytes;
    this.#bytes = 0;
    this.#account.remove(bytes);
  }
}

/** Releases a charge when nothing refers to `user` any more, since its memory is free then. */
export function releaseWith(user: object, charge: Charge): void {
  if (unused) unused.register(user, charge, charge);
  else charge.release();
}

/** Some runtimes have none. */
const unused =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry<Charge>(charge => charge.release());

/** Books bytes until some work has ended, or can no longer end. */
export function holdWhile(account: Account, bytes: number, work: Promise<unknown>): void {
  account.add(bytes);
  releaseAfter(work, new Charge(account, bytes));
}

/** Releases a charge when some work has ended, or can no longer end. */
export function releaseAfter(work: Promise<unknown>, charge: Charge): void {
  const release = () => {
    charge.release();
    // What is registered is kept until the garbage of the whole heap is collected, which is much later.
    unused?.unregister(charge);
  };
  work.then(release, release);
  releaseWith(work, charge);
}
