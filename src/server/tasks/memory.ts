import { Charge } from '../charge.js';
import { PROCESS_TOTAL } from '../held-total.js';
import { Ledger } from '../ledger.js';
import { MAX_HELD_BYTES } from '../limits.js';
import type { Owner, RunState, TaskRequest } from './record.js';
import { weigh } from './weigh.js';

/**
 * Books the arguments and answers of tasks that run. The requests that brought them are over, and no longer booked for
 * their connections.
 */
export class TaskMemory {
  #ledger: Ledger | undefined;

  /** Books the memory of a run. Throws `NoRoom` if there is none. */
  charge(owner: Owner, request: TaskRequest, run: Pick<RunState, 'journal' | 'byHand'>): Charge {
    this.#ledger ??= new Ledger(limit(), undefined, PROCESS_TOTAL);
    const account = this.#ledger.accountOf(typeof owner === 'string' ? owner : `of ${owner.principal}`);
    const bytes = RUN_BYTES + weigh(request) + weigh(run.journal) + weigh(run.byHand);
    const refusal = account.refusal(bytes);
    if (refusal) throw refusal;
    account.add(bytes);
    return new Charge(account, bytes);
  }

  close(): void {
    this.#ledger?.close();
  }
}

/** What a run takes beside its arguments and answers. */
const RUN_BYTES = 4096;

/** As much as the servers of this process may hold. */
function limit(): number {
  const { limit } = PROCESS_TOTAL;
  return limit > 0 && Number.isFinite(limit) ? limit : MAX_HELD_BYTES;
}
