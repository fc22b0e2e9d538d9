import type { Awaitable } from '../../base/settle.js';
import type { Account } from '../ledger.js';
import { MAX_VERIFICATIONS } from '../limits.js';
import { Challenge } from './challenge.js';
import type { Exchange } from './exchange.js';
import type { Identify } from './identify.js';

type Identified = Awaited<ReturnType<Identify>>;

/** The requests of a connection whose callers are not known yet. */
interface Line {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * Lets a limited number of requests of a connection have their tokens verified at a time, and the others wait for them. A
 * client may send hundreds of requests without waiting for responses, and the verifications of all others would have to
 * wait behind theirs. Callers that are known at once do not wait.
 */
export function inTurns(identify: Identify): (exchange: Exchange) => Awaitable<Identified> {
  const lines = new WeakMap<Account, Line>();

  function start(exchange: Exchange, line: Line): Awaitable<Identified> {
    const identified = identify(exchange);
    if (!(identified instanceof Promise)) return identified;
    line.running++;
    return identified.finally(() => {
      line.running--;
      proceed(line);
    });
  }

  function proceed({ running, waiting }: Line): void {
    const [next] = waiting;
    if (next && running < MAX_VERIFICATIONS) next();
  }

  return exchange => {
    const { account } = exchange;
    const line = lines.get(account) ?? { running: 0, waiting: new Set() };
    lines.set(account, line);
    if (line.running < MAX_VERIFICATIONS) return start(exchange, line);
    return new Promise(resolve => {
      const begin = () => {
        line.waiting.delete(begin);
        resolve(start(exchange, line));
        proceed(line);
      };
      line.waiting.add(begin);
      exchange.onDisconnect(() => {
        if (line.waiting.delete(begin)) resolve(new Challenge(401, 'the client disconnected', {}));
      });
    });
  };
}
