import { isObject, type JsonObject } from '../base/json.js';
import type { Budget } from './budget.js';
import type { Node, Resource } from './node.js';
import { clip } from './problem.js';
import { SchemaRefused } from './refusal.js';

/** The dialects, and whether a `$ref` hides the keywords beside it. */
const DIALECTS: ReadonlyMap<unknown, { readonly refStandsAlone: boolean }> = new Map([
  ['https://json-schema.org/draft/2020-12/schema', { refStandsAlone: false }],
  ['http://json-schema.org/draft-07/schema', { refStandsAlone: true }],
  ['https://json-schema.org/draft-07/schema', { refStandsAlone: true }],
]);

/** Stands for the address of a document that does not say its own. */
const NOWHERE = 'schema:///';

/** The parts of a document that can be referred to by address, and the names in them. */
export class Resources {
  readonly #byBase = new Map<string, Resource>();
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** The resource that a schema belongs to: a new one if it is the document, or has an `$id`. */
  enter(schema: unknown, place: string, outer: Resource | undefined): Resource {
    const own = isObject(schema) ? schema : {};
    const [uri] = outer && isHidden(own, outer) ? [''] : splitReference(readName(own, '$id', place));
    if (outer && uri === '') return outer;
    const base = this.#absolute(uri, outer?.base ?? NOWHERE);
    if (base === undefined) throw new SchemaRefused('malformed', `${place}/$id`, 'must be a URI');
    const resource: Resource = {
      base,
      root: schema,
      refStandsAlone: readDialect(own.$schema, place) ?? outer?.refStandsAlone ?? false,
      anchors: new Map(),
      dynamicAnchors: new Map(),
    };
    if (!this.#byBase.has(base)) this.#byBase.set(base, resource);
    return resource;
  }

  /** Remembers the names of a schema, so that `#name` leads to it. The first one of a name has it. */
  nameAnchors(schema: JsonObject, node: Node): void {
    const { place, resource } = node;
    if (isHidden(schema, resource)) return;
    // Draft-07 has "$id": "#name" for "$anchor": "name".
    const [, fragment] = splitReference(readName(schema, '$id', place));
    const dynamic = readName(schema, '$dynamicAnchor', place);
    for (const name of [fragment, readName(schema, '$anchor', place), dynamic]) {
      if (name !== '' && !resource.anchors.has(name)) resource.anchors.set(name, node);
    }
    if (dynamic !== '' && !resource.dynamicAnchors.has(dynamic)) resource.dynamicAnchors.set(dynamic, node);
  }

  find(uri: string, from: Resource): Resource | undefined {
    if (uri === '') return from;
    const base = this.#absolute(uri, from.base);
    return base === undefined ? undefined : this.#byBase.get(base);
  }

  #absolute(uri: string, base: string): string | undefined {
    this.#budget.spend(1_000 + uri.length + base.length);
    return URL.canParse(uri, base) ? new URL(uri, base).href : undefined;
  }
}

/** A reference in its two halves: `a.json#name` is `a.json` and `name`. */
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

/** Whether the name of a schema is void, because in draft-07 a `$ref` hides everything beside it. */
function isHidden(schema: JsonObject, resource: Resource): boolean {
  return resource.refStandsAlone && Object.hasOwn(schema, '$ref');
}

function readDialect($schema: unknown, place: string): boolean | undefined {
  if ($schema === undefined) return undefined;
  const dialect = DIALECTS.get(String($schema).replace(/#$/, ''));
  if (dialect) return dialect.refStandsAlone;
  const what = `dialect ${clip(String($schema), 100)} is not supported`;
  throw new SchemaRefused('dialect', `${place}/$schema`, what);
}

function readName(schema: JsonObject, keyword: string, place: string): string {
  const name = Object.hasOwn(schema, keyword) ? schema[keyword] : '';
  if (typeof name === 'string') return name;
  throw new SchemaRefused('malformed', `${place}/${keyword}`, 'must be a string');
}
