import { clip } from '../../base/clip.js';
import { UsageError } from '../../base/errors.js';
import { writeJson } from '../../base/json.js';
import type { Awaitable } from '../../base/settle.js';
import { invalidParams } from '../../protocol/errors.js';
import { shareResult } from '../../protocol/shared-result.js';
import type { Access } from './access.js';

/** The result of a registration, to change it later, also while serving. */
export interface Handle {
  readonly name: string;
  readonly enabled: boolean;
  /** Removes the entry from lists and calls, until `enable`. */
  disable(): void;
  enable(): void;
  remove(): void;
}

/** A registered entry: its listing, and the data that its kind needs. */
export interface Entry {
  readonly listing: object;
  /** Undefined if every caller may use it. */
  readonly access: Access | undefined;
}

/** An entry with its position in the order of registration. */
export interface Placed<E> {
  readonly position: number;
  readonly name: string;
  readonly entry: E;
}

/** Creates the result of one page. A personal page is for one caller only. */
type ListPage = (listings: object[], nextCursor: string | undefined, isPersonal: boolean) => object;

interface Slot<E> {
  /** Grows with each registration, so that a cursor stays valid when other entries are added or removed. */
  readonly position: number;
  readonly handle: Handle;
  entry: E;
  enabled: boolean;
}

/** Marks the position in the cursor of a personal page. */
const OWN = 0.25;

/**
 * The registered entries of one kind, in the order of registration. The pages of the list are created once per change
 * and then shared by all requests.
 */
export class Registry<E extends Entry> {
  readonly #kind: string;
  readonly #list: ListPage;
  readonly #changed: () => void;
  readonly pageSize: number;
  readonly #slots = new Map<string, Slot<E>>();
  #lastPosition = 0;
  #version = 0;
  #pages: Map<string | undefined, object> | undefined;
  #hides = false;

  /** `changed` is called after every change. */
  constructor(options: { kind: string; pageSize: number; list: ListPage; changed: () => void }) {
    this.#kind = options.kind;
    this.#list = options.list;
    this.#changed = options.changed;
    this.pageSize = options.pageSize;
  }

  get size(): number {
    return this.#slots.size;
  }

  get(name: string): E | undefined {
    const slot = this.#slots.get(name);
    return slot?.enabled ? slot.entry : undefined;
  }

  *entries(): Iterable<E> {
    for (const { entry, enabled } of this.#slots.values()) if (enabled) yield entry;
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version;
  }

  /** The enabled entries, in the order of registration. */
  *placed(): Iterable<Placed<E>> {
    for (const { position, handle, entry, enabled } of this.#slots.values()) {
      if (enabled) yield { position, name: handle.name, entry };
    }
  }

  /** A page of listings for one caller. */
  ownPage(listings: object[], nextCursor: string | undefined): object {
    return this.#list(listings, nextCursor, true);
  }

  add(name: string, entry: E): Handle {
    if (this.#slots.has(name)) {
      throw new UsageError(
        `${this.#kind} "${name}" is already registered; use the handle's replace() or remove() first`,
      );
    }
    // An entry that JSON cannot carry would spoil the list for all others.
    writeJson(entry.listing, `${this.#kind} "${name}"`);
    const handle: Handle = {
      name,
      get enabled() {
        return slot.enabled;
      },
      disable: () => toggle(false),
      enable: () => toggle(true),
      remove: () => {
        if (this.#slots.get(name) !== slot) return;
        this.#slots.delete(name);
        this.#touch();
      },
    };
    const slot: Slot<E> = { position: ++this.#lastPosition, handle, entry, enabled: true };
    const toggle = (enabled: boolean) => {
      if (slot.enabled === enabled) return;
      slot.enabled = enabled;
      if (this.#slots.get(name) === slot) this.#touch();
    };
    this.#slots.set(name, slot);
    this.#touch();
    return handle;
  }

  /** Puts another entry in the place of one that is still registered. */
  replace(handle: Handle, entry: E): void {
    const slot = this.#slots.get(handle.name);
    // The name may be in use again, but by another registration.
    if (slot?.handle !== handle)
      throw new UsageError(`${this.#kind} "${handle.name}" was removed; register it anew`);
    writeJson(entry.listing, `${this.#kind} "${handle.name}"`);
    slot.entry = entry;
    this.#touch();
  }

  /**
   * One page of the list, without the entries that are hidden from the caller. Throws `-32602` for a cursor that this
   * registry did not create. All pages after a personal one are personal, too.
   */
  page(
    cursor: unknown,
    mayUse: (entry: E, name: string) => Awaitable<boolean>,
    isPersonal = false,
  ): Awaitable<object> {
    if (cursor !== undefined && typeof cursor !== 'string') throw invalidParams('cursor must be a string');
    this.#pages ??= this.#compile();
    const page = this.#pages.get(cursor);
    if (page && !isPersonal && !this.#hides) return page;
    const position = cursor === undefined ? 0 : this.#readCursor(cursor);
    if (isPersonal || this.#hides || position % 1) return this.#personalPage(position, mayUse);
    // A valid cursor from before a change: it starts inside one of the current pages.
    return this.#pageAfter(position).result;
  }

  /** A page for one caller, which is therefore not shared. */
  async #personalPage(
    position: number,
    mayUse: (entry: E, name: string) => Awaitable<boolean>,
  ): Promise<object> {
    const listed: Slot<E>[] = [];
    let nextCursor: string | undefined;
    for (const slot of [...this.#slots.values()]) {
      const { entry, handle } = slot;
      if (!slot.enabled || slot.position <= position) continue;
      if (entry.access?.isHidden && !(await mayUse(entry, handle.name))) continue;
      const last = listed.at(-1);
      if (last && listed.length === this.pageSize) {
        nextCursor = this.#writeCursor(last.position + OWN);
        break;
      }
      listed.push(slot);
    }
    const listings = listed.map(({ entry }) => entry.listing);
    return this.#list(listings, nextCursor, true);
  }

  #compile(): Map<string | undefined, object> {
    this.#hides = [...this.entries()].some(({ access }) => access?.isHidden);
    const pages = new Map<string | undefined, object>();
    let cursor: string | undefined;
    let after = 0;
    do {
      const page = this.#pageAfter(after);
      pages.set(cursor, shareResult(page.result));
      cursor = page.nextCursor;
      after = page.last;
    } while (cursor !== undefined);
    return pages;
  }

  #pageAfter(position: number): { result: object; nextCursor: string | undefined; last: number } {
    const listed: Slot<E>[] = [];
    let more = false;
    for (const slot of this.#slots.values()) {
      if (!slot.enabled || slot.position <= position) continue;
      more = listed.length === this.pageSize;
      if (more) break;
      listed.push(slot);
    }
    const last = listed.at(-1)?.position ?? position;
    const nextCursor = more ? this.#writeCursor(last) : undefined;
    return {
      result: this.#list(
        listed.map(({ entry }) => entry.listing),
        nextCursor,
        false,
      ),
      nextCursor,
      last,
    };
  }

  /** `position` is that of the last entry before the page, and `OWN` more for a personal page. */
  #writeCursor(position: number): string {
    return btoa(`${this.#kind} ${position}`);
  }

  #readCursor(cursor: string): number {
    let text = '';
    try {
      text = atob(cursor);
    } catch {
      // Not one of our cursors; the check below refuses it.
    }
    const position = Number(text.slice(this.#kind.length + 1));
    const isPosition = [0, OWN].includes(position % 1) && position >= 1 && position < this.#lastPosition + 1;
    if (!isPosition || this.#writeCursor(position) !== cursor) {
      throw invalidParams(`unknown cursor: ${clip(cursor)}`);
    }
    return position;
  }

  #touch(): void {
    this.#pages = undefined;
    this.#version++;
    this.#changed();
  }
}
