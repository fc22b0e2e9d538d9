import {
  createRequestStates,
  type RequestStates,
  type StateOwner,
} from '../../src/server/modern/request-state.js';
import type { JournalEntry } from '../../src/server/rounds/journal.js';
import type { CipherFactory } from '../../src/server/seal/cipher.js';
import { withRecent } from '../../src/server/seal/recent-seals.js';
import { createSeal } from '../../src/server/seal/seal.js';
import { forServer } from '../../src/server/seal/server-seal.js';

/** Random numbers that are the same for the same seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number below a limit. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

/** A state that was really sealed, and for whom; `isGood` if it opens for them. */
export interface Sealed {
  owner: StateOwner;
  bytes: Buffer;
  token: string;
  isGood: boolean;
}

const KEY = 'the key of the servers, at least thirty-two bytes';
const OLD_KEY = 'the key from before, which is still good to open';
const FOREIGN_KEY = 'the key of somebody else, also more than 32 bytes';
const HOUR = 3_600_000;

/** The server that forgers want to fool. It knows some of the states it sealed without opening them. */
export function createTarget(createCipher: CipherFactory): RequestStates {
  return createRequestStates(
    forServer(withRecent(createSeal([KEY, OLD_KEY], createCipher)), serviceOf('bistro')),
  );
}

/** States as a forger can collect them: of several users, tools and arguments, keys, servers, and times. */
export async function collect(
  target: RequestStates,
  createCipher: CipherFactory,
  now: (time: number) => void,
): Promise<Sealed[]> {
  const present = Date.now();
  const sealed: Sealed[] = [];
  const make = (key: string, name = 'bistro') =>
    createRequestStates(forServer(createSeal([key], createCipher), serviceOf(name)));
  const makers: { states: RequestStates; isGood: boolean; at: number }[] = [
    { states: target, isGood: true, at: present },
    { states: make(OLD_KEY), isGood: true, at: present },
    { states: make(KEY), isGood: false, at: present - HOUR },
    { states: make(FOREIGN_KEY), isGood: false, at: present },
    { states: make(KEY, 'brasserie'), isGood: false, at: present },
  ];
  for (const { states, isGood, at } of makers) {
    now(at);
    for (const owner of owners()) {
      for (const journal of JOURNALS) {
        const token = await states.seal(owner, { requestId: 'r', passes: 0, round: 1, journal });
        sealed.push({ owner, token, bytes: Buffer.from(token, 'base64url'), isGood });
      }
    }
  }
  now(present);
  return sealed;
}

const JOURNALS: JournalEntry[][] = [
  [{ q: 'pin', l: 'Pay?' }],
  [
    { q: 'pin', l: 'Pay?', a: { action: 'accept', content: { ok: true } } },
    { s: 'hold', d: 1, r: { table: 4 } },
  ],
  // Large enough to be compressed.
  [{ s: 'rows', d: 1, r: Array.from({ length: 60 }, (_, n) => ({ row: n, name: 'Ada' })) }],
];

function owners(): StateOwner[] {
  return ['ada', 'eve', undefined].flatMap(principal =>
    ['pay', 'cancel'].flatMap(name =>
      [{ amount: 1 }, { amount: 1000 }].map(args => ({
        method: 'tools/call',
        params: { name, arguments: args },
        caller: principal === undefined ? undefined : { principal },
      })),
    ),
  );
}

/** One attempt: a token that was never made for the owner that it is presented for. */
export interface Forgery {
  how: string;
  owner: StateOwner;
  token: string;
}

/** Every bit of every kind of state changed, every length cut, every state presented for every other request. */
export function* systematicForgeries(sealed: readonly Sealed[]): Generator<Forgery> {
  const good = sealed.filter(({ isGood }) => isGood);
  for (const one of sealed) {
    if (!one.isGood)
      yield { how: 'an old, foreign or misdirected state', owner: one.owner, token: one.token };
    for (const other of sealed) {
      if (other.owner !== one.owner && !sameOwner(one.owner, other.owner)) {
        yield { how: 'the state of another request', owner: other.owner, token: one.token };
      }
    }
  }
  for (const { owner, bytes, token } of good.slice(0, JOURNALS.length)) {
    for (let bit = 0; bit < bytes.length * 8; bit++) yield forge('one bit', owner, flip(bytes, bit));
    for (let length = 0; length < token.length; length++) {
      yield { how: 'a beginning', owner, token: token.slice(0, length) };
      yield { how: 'an end', owner, token: token.slice(length + 1) };
    }
  }
}

/** Any number of random changes. */
export function* randomForgeries(sealed: readonly Sealed[], dice: Dice): Generator<Forgery> {
  for (;;) {
    const one = dice.pick(sealed);
    const other = dice.pick(sealed);
    const { owner } = dice.pick([one, other, dice.pick(sealed)]);
    switch (dice.below(6)) {
      case 0: {
        let bytes = one.bytes;
        for (let flips = dice.below(4); flips >= 0; flips--)
          bytes = flip(bytes, dice.below(bytes.length * 8));
        yield forge('some bits', owner, bytes);
        break;
      }
      case 1: {
        const at = dice.below(Math.min(one.bytes.length, other.bytes.length));
        yield forge(
          'a splice of two',
          owner,
          Buffer.concat([one.bytes.subarray(0, at), other.bytes.subarray(at)]),
        );
        break;
      }
      case 2: {
        const [from, to] = [dice.below(one.bytes.length), dice.below(other.bytes.length)];
        yield forge(
          'parts of two',
          owner,
          Buffer.concat([one.bytes.subarray(0, from), other.bytes.subarray(to)]),
        );
        break;
      }
      case 3: {
        // Packing and key id of one, IV of another, ciphertext of a third.
        const third = dice.pick(sealed).bytes;
        const parts = [one.bytes.subarray(0, 6), other.bytes.subarray(6, 18), third.subarray(18)];
        yield forge('head, IV and text of three', owner, Buffer.concat(parts));
        break;
      }
      case 4: {
        const bytes = Buffer.from(one.bytes);
        const start = dice.below(bytes.length);
        for (let at = start; at < Math.min(start + 16, bytes.length); at++) bytes[at] = dice.below(256);
        yield forge('a stretch of noise', owner, bytes);
        break;
      }
      default: {
        const at = dice.below(one.token.length);
        const char = dice.pick([...'ABab01-_+/= ']);
        yield {
          how: 'another character',
          owner,
          token: one.token.slice(0, at) + char + one.token.slice(at + 1),
        };
      }
    }
  }
}

/** Whether a state opens for an owner; fails if it is refused in any other way than all are. */
export async function opens(target: RequestStates, { owner, token }: Forgery): Promise<boolean> {
  try {
    await target.open(owner, token);
    return true;
  } catch (refusal) {
    const { code, message } = refusal as { code: number; message: string };
    if (code === -32602 && message === 'requestState is not valid for this request; start again without it') {
      return false;
    }
    throw refusal;
  }
}

function forge(how: string, owner: StateOwner, bytes: Buffer): Forgery {
  return { how, owner, token: bytes.toString('base64url') };
}

function flip(bytes: Buffer, bit: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
  return flipped;
}

function sameOwner(a: StateOwner, b: StateOwner): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function serviceOf(name: string) {
  return { info: { name, version: '1' }, warn() {} };
}
