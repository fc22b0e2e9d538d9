import type { IncomingMessage } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import { UsageError } from '../../base/errors.js';
import type { Account, AddressTally, Ledger } from '../../server/ledger.js';
import { MAX_IDLE_ADDRESSES } from '../../server/limits.js';

/** A proxy may write anything instead of an address. */
const MAX_ADDRESS_LENGTH = 64;

/** The accounts of a client. A client may send one message of any size, so heads are charged elsewhere than messages. */
export interface ClientAccounts {
  readonly head: Account;
  readonly content: Account;
}

/** Opens the accounts of connections, and knows how much is held for each network address. */
export class AccountsByConnection {
  readonly #ledger: Ledger;
  readonly #proxies: number;
  readonly #connections = new WeakMap<Socket, ClientAccounts>();
  readonly #addresses = new Map<string, AddressTally>();
  /** With so many addresses, those for which nothing is held are dropped. */
  #addressesLimit = MAX_IDLE_ADDRESSES;

  /** `proxies` is the number of proxies between the clients and the server. */
  constructor(ledger: Ledger, proxies = 0) {
    if (!(Number.isInteger(proxies) && proxies >= 0)) {
      throw new UsageError(`proxies must be the number of proxies in front of the server, not ${proxies}`);
    }
    this.#ledger = ledger;
    this.#proxies = proxies;
  }

  of({ socket, headers }: IncomingMessage): ClientAccounts {
    const known = this.#connections.get(socket);
    // A connection of a proxy carries requests of many clients.
    if (known && this.#proxies === 0) return known;
    const tally = this.#tallyOf(this.#clientAddress(socket, headers['x-forwarded-for']));
    if (known && known.content.address === tally) return known;
    const accounts = { head: this.#ledger.open(tally), content: this.#ledger.open(tally) };
    this.#connections.set(socket, accounts);
    return accounts;
  }

  /** Each proxy adds the address that it got the request from. What stands before these was written by the client. */
  #clientAddress(socket: Socket, forwarded: string | string[] | undefined): string | undefined {
    const addresses = String(forwarded ?? '').split(',');
    return (this.#proxies > 0 && addresses.at(-this.#proxies)?.trim()) || socket.remoteAddress;
  }

  #tallyOf(address: string | undefined): AddressTally | undefined {
    if (address === undefined) return undefined;
    const network = networkOf(address);
    let tally = this.#addresses.get(network);
    if (!tally) {
      if (this.#addresses.size >= this.#addressesLimit) this.#dropEmpty();
      tally = { held: 0 };
      this.#addresses.set(network, tally);
    }
    return tally;
  }

  #dropEmpty(): void {
    for (const [network, { held }] of this.#addresses) if (held === 0) this.#addresses.delete(network);
    this.#addressesLimit = Math.max(MAX_IDLE_ADDRESSES, this.#addresses.size * 2);
  }
}

/** The address without its port. One IPv6 client usually has all addresses that begin with the same 64 bits. */
function networkOf(address: string): string {
  const plain = /^\[(.+)\]|^([\d.]+):\d+$/.exec(address);
  const ip = plain?.[1] ?? plain?.[2] ?? address;
  if (!isIPv6(ip)) return ip.slice(0, MAX_ADDRESS_LENGTH);
  if (/^::ffff:.*\./.test(ip)) return ip.slice(7);
  const [front, back] = ip.split('::').map(part => (part === '' ? [] : part.split(':')));
  const first = front as string[];
  const zeros = back ? Array<string>(8 - first.length - back.length).fill('0') : [];
  return [...first, ...zeros, ...(back ?? [])].slice(0, 4).join(':');
}
