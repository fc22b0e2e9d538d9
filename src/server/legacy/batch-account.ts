import { Account } from '../ledger.js';

/** Holds the content of a batch until the last of its calls and notifications has ended. */
export class BatchAccount {
  /** Charged for the messages of the batch. */
  readonly account: Account;

  /** `weight` is charged to the account of the client. */
  constructor(client: Account, weight: number) {
    client.add(weight);
    this.account = new Account(client.ledger, client.address, () => client.remove(weight));
    // It must not be empty before all messages were taken.
    this.account.add(1);
  }

  /** All messages were taken. */
  close(): void {
    this.account.remove(1);
  }
}
