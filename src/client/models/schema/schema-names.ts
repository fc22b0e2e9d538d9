import type { JsonObject } from '../../../base/json.js';

/** The address of a document that says none itself. References that are relative need one. */
export const DOCUMENT = 'https://schema.invalid/';

/**
 * The schemas of a document that have names, `$id` or `$anchor`, and where they stand in it. Those names are left out of
 * the schemas for models, so references by them become pointers.
 */
export class SchemaNames {
  readonly #pointers = new Map<string, string>([[DOCUMENT, '']]);
  /** The addresses that the references in a schema are relative to. */
  readonly bases = new Map<object, string>();

  /** Adds the names of the schema at a pointer. Returns the address that references in it are relative to. */
  add({ $id, $anchor, $dynamicAnchor }: JsonObject, pointer: string, outer: string): string {
    // Drafts 6 and 7 write anchors as ids.
    const isAnchor = typeof $id === 'string' && $id.startsWith('#');
    const base = typeof $id === 'string' && !isAnchor ? (addressOf($id, outer) ?? outer) : outer;
    if (base !== outer) this.#set(base, pointer);
    for (const anchor of [$anchor, $dynamicAnchor, isAnchor ? $id.slice(1) : undefined])
      if (typeof anchor === 'string') this.#set(`${base}#${anchor}`, pointer);
    return base;
  }

  /** A reference as a pointer from the root; the reference itself if it names nothing in this document. */
  toPointer(ref: string, base = DOCUMENT): string {
    const address = addressOf(ref, base);
    if (address === undefined) return ref;
    const named = this.#pointers.get(address);
    if (named !== undefined) return `#${named}`;
    const [document = '', fragment = ''] = address.split('#');
    const pointer = this.#pointers.get(document);
    return pointer === undefined || !/^(\/|$)/.test(fragment) ? ref : `#${pointer}${fragment}`;
  }

  #set(address: string, pointer: string): void {
    // Of two schemas with one name, the first counts.
    if (!this.#pointers.has(address)) this.#pointers.set(address, pointer);
  }
}

function addressOf(reference: string, base: string): string | undefined {
  // Most references are pointers in the document; to parse an address takes longer.
  if (/^#($|\/)/.test(reference)) return `${base}${reference === '#' ? '' : reference}`;
  try {
    return new URL(reference, base).href.replace(/#$/, '');
  } catch {
    return undefined;
  }
}
