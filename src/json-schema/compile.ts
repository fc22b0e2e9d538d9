import { isObject, type JsonObject } from '../base/json.js';
import { Budget } from './budget.js';
import { KEYWORDS } from './keywords.js';
import type { Node, Resource } from './node.js';
import { Patterns } from './pattern.js';
import { Place, type Reader, type Reference } from './place.js';
import { clip, problem } from './problem.js';
import { SchemaRefused } from './refusal.js';
import { Resources, splitReference } from './resources.js';

const MAX_DEPTH = 256;
const MAX_SCHEMAS = 10_000;
/** What it takes to look for every keyword, in steps: this and their number allow for some 2500 schemas. */
const SCHEMA_COST = 450;

/** The keywords that count beside a `$ref` in draft-07. */
const BESIDE_REF: ReadonlySet<string> = new Set(['$ref', 'definitions', '$defs']);

/** Reads a schema and everything in it; throws `SchemaRefused` if any of it cannot be used. */
export function compile(schema: unknown): Node {
  return new Compilation().readDocument(schema);
}

interface PendingReference {
  readonly reference: Reference;
  readonly text: string;
  readonly at: Place;
  readonly resource: Resource;
}

class Compilation {
  readonly #budget = new Budget('to read');
  readonly #patterns = new Patterns();
  readonly #resources = new Resources(this.#budget);
  readonly #nodes = new Map<unknown, Node>();
  readonly #references: PendingReference[] = [];
  #schemas = 0;

  readDocument(schema: unknown): Node {
    const root = this.#readNode(schema, '#', undefined, 0);
    // What a reference leads to may hold more references, which are then added to this list.
    for (const pending of this.#references) this.#resolve(pending);
    return root;
  }

  #readNode(schema: unknown, place: string, outer: Resource | undefined, depth: number): Node {
    const refuse = (what: string) => new SchemaRefused('too-complex', place, `too complex to read: ${what}`);
    if (++this.#schemas > MAX_SCHEMAS) throw refuse(`it has more than ${MAX_SCHEMAS} subschemas`);
    if (depth > MAX_DEPTH) throw refuse(`it is nested more than ${MAX_DEPTH} levels deep`);
    const known = this.#nodes.get(schema);
    if (known) return known;
    const resource = this.#resources.enter(schema, place, outer);
    const node: Node = { place, resource, checks: [], collects: collects(schema) };
    if (schema === false) node.checks.push(() => problem('is not allowed'));
    if (typeof schema === 'boolean') return node;
    if (!isObject(schema)) throw new SchemaRefused('malformed', place, 'must be an object, true or false');
    this.#budget.spend(SCHEMA_COST);
    this.#nodes.set(schema, node);
    this.#resources.nameAnchors(schema, node);
    this.#readKeywords(schema, node, depth);
    return node;
  }

  #readKeywords(schema: JsonObject, node: Node, depth: number): void {
    const { resource } = node;
    const reader: Reader = {
      budget: this.#budget,
      readNode: (inner, place) => this.#readNode(inner, place, resource, depth + 1),
      readPattern: (source, at) => this.#patterns.read(source, at),
      readReference: (text, at) => {
        const reference: Reference = {};
        this.#references.push({ reference, text, at, resource });
        return reference;
      },
    };
    const onlyRef = resource.refStandsAlone && Object.hasOwn(schema, '$ref');
    const at = new Place(schema, node.place, reader);
    for (const [keyword, read] of KEYWORDS) {
      const operand = onlyRef && !BESIDE_REF.has(keyword) ? undefined : at.member(keyword);
      const check = operand && read(operand);
      if (check) node.checks.push(check);
    }
  }

  #resolve({ reference, text, at, resource: from }: PendingReference): void {
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

  #findInside(resource: Resource, fragment: string): Node | undefined {
    if (fragment === '') return this.#nodes.get(resource.root);
    return fragment.startsWith('/') ? this.#point(resource, fragment) : resource.anchors.get(fragment);
  }

  /** What a JSON pointer points to. It may be in a place that no keyword leads to. */
  #point(resource: Resource, pointer: string): Node | undefined {
    let current: unknown = resource.root;
    let nearest = resource;
    for (const step of pointer.slice(1).split('/')) {
      this.#budget.spend(10);
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined;
      current = (current as JsonObject)[name];
      nearest = this.#nodes.get(current)?.resource ?? nearest;
    }
    return this.#readNode(current, `#${pointer}`, nearest, 0);
  }
}

function collects(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  return Object.hasOwn(schema, 'unevaluatedProperties') || Object.hasOwn(schema, 'unevaluatedItems');
}
