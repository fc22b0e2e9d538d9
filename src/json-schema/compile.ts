import { clip } from '../base/clip.js';
import { isObject, type JsonObject } from '../base/json.js';
import { Budget } from './budget.js';
import { KEYWORDS } from './keywords.js';
import type { Node, SchemaResource } from './node.js';
import type { SchemaOptions } from './options.js';
import { Patterns } from './pattern.js';
import { Place, type Reader, type Reference } from './place.js';
import { problem } from './problem.js';
import { Resources, splitReference } from './resources.js';

const MAX_DEPTH = 256;
/** The steps that reading a schema costs. A peer may send some 2,500 schemas, or 10,000 that are just `true`. */
const SCHEMA_COST = 130;
const OBJECT_COST = 320;

/** The keywords that need to know which members the other keywords have evaluated. */
const COLLECTING = ['unevaluatedProperties', 'unevaluatedItems'];

/** The keywords that still apply beside a `$ref` in draft-07. */
const BESIDE_REF: ReadonlySet<string> = new Set(['$ref', 'definitions']);

/** The keywords that draft-07 does not have yet. References may still point into them, as into every other member. */
const LATER: ReadonlySet<string> = new Set([
  '$defs',
  '$dynamicRef',
  'dependentRequired',
  'dependentSchemas',
  'maxContains',
  'minContains',
  'prefixItems',
  ...COLLECTING,
]);

/** Reads a schema with its subschemas; throws `SchemaRefused` if any of them cannot be used. */
export function compile(schema: unknown, options: SchemaOptions): Node {
  return new Compilation(options).readDocument(schema);
}

interface PendingReference {
  readonly reference: Reference;
  readonly at: Place;
  readonly resource: SchemaResource;
}

class Compilation {
  readonly #options: SchemaOptions;
  readonly #budget: Budget;
  readonly #patterns: Patterns;
  readonly #resources: Resources;
  readonly #nodes = new Map<unknown, Node>();
  readonly #references: PendingReference[] = [];

  constructor(options: SchemaOptions) {
    this.#options = options;
    this.#budget = new Budget('to read', options);
    this.#patterns = new Patterns(options);
    this.#resources = new Resources(this.#budget, options);
  }

  readDocument(schema: unknown): Node {
    const root = this.#readNode(this.#place(schema, '#'), undefined, 0);
    // The target of a reference may hold more references, which are then added to this list.
    for (const pending of this.#references) this.#resolve(pending);
    return root;
  }

  #readNode(at: Place, outer: SchemaResource | undefined, depth: number): Node {
    const schema = at.operand;
    this.#budget.spend(SCHEMA_COST);
    if (depth > MAX_DEPTH) {
      throw at.refuse(`too complex to read: it is nested more than ${MAX_DEPTH} levels deep`, 'too-complex');
    }
    const known = this.#nodes.get(schema);
    if (known) return known;
    const resource = this.#resources.enter(at, outer);
    const node: Node = { at, resource, checks: [], collects: false };
    if (schema === false) node.checks.push(() => problem('is not allowed'));
    if (typeof schema === 'boolean') return node;
    if (!isObject(schema)) throw at.refuse('must be an object, true or false');
    this.#budget.spend(OBJECT_COST);
    this.#nodes.set(schema, node);
    this.#resources.nameAnchors(node);
    this.#readKeywords(node, depth);
    return node;
  }

  #readKeywords(node: Node, depth: number): void {
    const { resource } = node;
    const { dialect } = resource;
    const isDraft07 = dialect === 'draft-07';
    const reader: Reader = {
      options: this.#options,
      dialect,
      budget: this.#budget,
      readNode: inner => this.#readNode(inner, resource, depth + 1),
      readPattern: (source, pattern) => this.#patterns.read(source, pattern),
      readReference: from => {
        const reference: Reference = {};
        this.#references.push({ reference, at: from, resource });
        return reference;
      },
    };
    const at = node.at.readBy(reader, isDraft07 ? withoutLater(node.at.operand as JsonObject) : undefined);
    node.collects = COLLECTING.some(keyword => at.member(keyword));
    const onlyRef = isDraft07 && at.member('$ref');
    const found = at.members().flatMap(([name, operand]) => {
      const keyword = onlyRef && !BESIDE_REF.has(name) ? undefined : KEYWORDS.get(name);
      return keyword ? [{ ...keyword, operand }] : [];
    });
    for (const { read, operand } of found.sort((a, b) => a.rank - b.rank)) {
      const check = read(operand);
      if (check) node.checks.push(check);
    }
  }

  #resolve({ reference, at, resource: from }: PendingReference): void {
    const text = at.string();
    const [uri, fragment] = splitReference(text);
    const resource = this.#resources.find(uri, from);
    const target = resource && this.#findInside(resource, fragment);
    if (!target) {
      const what = `"${clip(text, 100)}" is not in this document; external references are not followed`;
      throw at.refuse(what, 'reference');
    }
    reference.target = target;
    if (resource.dynamicAnchors.has(fragment)) reference.dynamicAnchor = fragment;
  }

  #findInside(resource: SchemaResource, fragment: string): Node | undefined {
    if (fragment === '') return this.#nodes.get(resource.root);
    return fragment.startsWith('/') ? this.#point(resource, fragment) : resource.anchors.get(fragment);
  }

  /** The schema that a JSON pointer points to. It may be in a place that no keyword leads to. */
  #point(resource: SchemaResource, pointer: string): Node | undefined {
    let current: unknown = resource.root;
    let nearest = resource;
    for (const step of pointer.slice(1).split('/')) {
      this.#budget.spend(10);
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined;
      current = (current as JsonObject)[name];
      nearest = this.#nodes.get(current)?.resource ?? nearest;
    }
    return this.#readNode(this.#place(current, `#${pointer}`), nearest, 0);
  }

  /** A place without a place around it: the document, or the target of a pointer. */
  #place(schema: unknown, pointer: string): Place {
    return new Place(schema, pointer, NO_READER);
  }
}

function withoutLater(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !LATER.has(name)));
}

/** Stands in for the reader of a place until the keywords of its schema are read. */
const NO_READER = {} as Reader;
