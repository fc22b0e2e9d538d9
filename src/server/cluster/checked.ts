import { UsageError } from '../../base/errors.js';
import type {
  Cluster,
  LogEntry,
  LogOptions,
  Stored,
  Subscription,
  TopicListener,
  WriteOptions,
} from './cluster.js';

/** The longest name that every store can keep in an index. */
const MAX_NAME_BYTES = 2_000;
/** The last instant of JavaScript's dates; a value that expires later never does. */
const LAST_INSTANT = 8.64e15;

/** Refuses what some store could not keep, so that a program that works with one works with all of them. */
export class CheckedCluster implements Cluster {
  readonly #inner: Cluster;

  constructor(inner: Cluster) {
    this.#inner = inner;
  }

  get isInProcess(): boolean {
    return this.#inner.isInProcess ?? false;
  }

  async publish(topic: string, message: string): Promise<void> {
    checkName('topic', topic);
    checkText('a message', message);
    return this.#inner.publish(topic, message);
  }

  async subscribe(topic: string, listener: TopicListener): Promise<Subscription> {
    checkName('topic', topic);
    return this.#inner.subscribe(topic, listener);
  }

  async read(key: string): Promise<Stored | undefined> {
    checkName('key', key);
    return this.#inner.read(key);
  }

  async write(key: string, value: string, options: WriteOptions): Promise<string | undefined> {
    checkName('key', key);
    checkText('a value', value);
    if (options.group) {
      checkName('group', options.group.name);
      checkCount('the limit of a group', options.group.limit);
    }
    if (options.publish) {
      checkName('topic', options.publish.topic);
      checkText('a message', options.publish.message);
    }
    // No version is empty, so that stores can use an empty one for none.
    if (options.was === '') return undefined;
    return this.#inner.write(key, value, { ...options, expiresAt: instant(options.expiresAt) });
  }

  async remove(key: string): Promise<void> {
    checkName('key', key);
    return this.#inner.remove(key);
  }

  async list(group: string, page: { after?: string | undefined; limit: number }): Promise<string[]> {
    checkName('group', group);
    checkCount('the limit of a list', page.limit);
    if (page.after !== undefined) checkName('key', page.after);
    return this.#inner.list(group, page);
  }

  async append(log: string, entries: readonly LogEntry[], options: LogOptions): Promise<void> {
    checkName('log', log);
    checkEntries(entries);
    checkCount('maxEntries', options.maxEntries);
    checkCount('maxBytes', options.maxBytes);
    return this.#inner.append(log, entries, { ...options, expiresAt: instant(options.expiresAt) });
  }

  async readLog(log: string, after: number): Promise<LogEntry[] | undefined> {
    checkName('log', log);
    if (!Number.isSafeInteger(after)) throw new UsageError('the number of an entry must be an integer');
    return this.#inner.readLog(log, after);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

/** The length of a text as UTF-8. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

function checkName(what: 'topic' | 'key' | 'group' | 'log', name: string): void {
  if (typeof name !== 'string' || name === '')
    throw new UsageError(`the name of a ${what} must be text that is not empty`);
  checkText(`the name of a ${what}`, name);
  if (name.length * 3 > MAX_NAME_BYTES && byteLength(name) > MAX_NAME_BYTES)
    throw new UsageError(`the name of a ${what} must not be longer than ${MAX_NAME_BYTES} bytes`);
}

/** Refuses text that would come back changed, or not at all, from some store. */
function checkText(what: string, text: string): void {
  if (text.includes('\0')) throw new UsageError(`${what} must not contain a NUL character`);
  if (!text.isWellFormed()) throw new UsageError(`${what} must not contain half of a character`);
}

function checkEntries(entries: readonly LogEntry[]): void {
  let last = -1;
  for (const { number, text } of entries) {
    if (!Number.isSafeInteger(number) || number <= last)
      throw new UsageError('the numbers of the entries of a log must be integers from 0 that grow');
    last = number;
    checkText('an entry of a log', text);
  }
}

function checkCount(what: string, count: number): void {
  if (!Number.isSafeInteger(count) || count < 0)
    throw new UsageError(`${what} must be an integer from 0, not ${count}`);
}

/** An instant as every store can keep it. */
function instant(expiresAt: number): number {
  if (Number.isNaN(expiresAt)) throw new UsageError('expiresAt must be a number of milliseconds since 1970');
  return Math.max(0, Math.min(LAST_INSTANT, Math.ceil(expiresAt)));
}

const encoder = new TextEncoder();
