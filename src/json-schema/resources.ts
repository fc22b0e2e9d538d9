import { clip } from '../base/clip.js';
import { parseUrl } from '../base/url.js';
import type { Budget } from './budget.js';
import type { Node, SchemaDialect, SchemaResource } from './node.js';
import type { SchemaOptions } from './options.js';
import type { Place } from './place.js';

const DIALECT = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;
const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;

/** The base address of a document that has no `$id`. */
const NOWHERE = 'schema:///';

/** The parts of a document that references can address, and the anchors in them. */
export class Resources {
  readonly #byBase = new Map<string, SchemaResource>();
  readonly #budget: Budget;
  readonly #options: SchemaOptions;

  constructor(budget: Budget, options: SchemaOptions) {
    this.#budget = budget;
    this.#options = options;
  }

  /** The resource that a schema belongs to: a new one if it is the document or has an `$id`. */
  enter(at: Place, outer: SchemaResource | undefined): SchemaResource {
    const [uri] = outer && isHidden(at, outer) ? [''] : splitReference(readName(at, '$id'));
    if (outer && uri === '') return outer;
    const base = this.#absolute(uri, outer?.base ?? NOWHERE);
    if (base === undefined) throw at.inside('$id', uri).refuse('must be a URI');
    const resource: SchemaResource = {
      base,
      root: at.operand,
      dialect: this.#readDialect(at) ?? outer?.dialect,
      anchors: new Map(),
      dynamicAnchors: new Map(),
    };
    if (!this.#byBase.has(base)) this.#byBase.set(base, resource);
    return resource;
  }

  /** Remembers the anchors of a schema, so that `#name` leads to it. The first schema with a name keeps it. */
  nameAnchors(node: Node): void {
    const { at, resource } = node;
    if (isHidden(at, resource)) return;
    // Draft-07 writes "$id": "#name" for "$anchor": "name".
    const [, fragment] = splitReference(readName(at, '$id'));
    const [anchor, dynamic] =
      resource.dialect === 'draft-07' ? ['', ''] : [readName(at, '$anchor'), readName(at, '$dynamicAnchor')];
    for (const name of [fragment, anchor, dynamic]) {
      if (name !== '' && !resource.anchors.has(name)) resource.anchors.set(name, node);
    }
    if (dynamic !== '' && !resource.dynamicAnchors.has(dynamic)) resource.dynamicAnchors.set(dynamic, node);
  }

  find(uri: string, from: SchemaResource): SchemaResource | undefined {
    if (uri === '') return from;
    const base = this.#absolute(uri, from.base);
    return base === undefined ? undefined : this.#byBase.get(base);
  }

  #absolute(uri: string, base: string): string | undefined {
    this.#budget.spend(1_000 + uri.length + base.length);
    return parseUrl(uri, base)?.href;
  }

  #readDialect(at: Place): SchemaDialect | undefined {
    const $schema = at.member('$schema');
    if (!$schema) return undefined;
    const name = String($schema.operand);
    if (DIALECT.test(name)) return '2020-12';
    if (this.#options.from === 'peer' && DRAFT_07.test(name)) return 'draft-07';
    throw $schema.refuse(`dialect ${clip(name, 100)} is not supported`, 'dialect');
  }
}

/** Splits a reference: `a.json#name` is `a.json` and `name`. */
export function splitReference(text: string): readonly [uri: string, fragment: string] {
  const hash = text.indexOf('#');
  if (hash === -1) return [text, ''];
  return [text.slice(0, hash), decode(text.slice(hash + 1))];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether the names of a schema are ignored, because in draft-07 a `$ref` hides everything beside it. */
function isHidden(at: Place, resource: SchemaResource): boolean {
  return resource.dialect === 'draft-07' && at.member('$ref') !== undefined;
}

function readName(at: Place, keyword: string): string {
  return at.member(keyword)?.string() ?? '';
}
