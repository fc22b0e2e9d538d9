import { isObject, type JsonObject } from '../../../base/json.js';
import { MAX_WRITTEN_SCHEMAS } from '../limits.js';
import { modelNames } from '../names.js';
import type { Schema } from './clean.js';
import { jsonText, mustMatch, withNotes } from './describe.js';
import type { Dialect } from './dialect.js';
import { mergeSchemas } from './merge.js';
import { expandReferences, resolveReference } from './references.js';
import { asEntries, asOptional, asText, asUnion, OMITTED, type Rewritten } from './rewritten.js';
import { toRootObject } from './root.js';
import { TooComplex } from './too-complex.js';
import { isOfType, keywordsOf, typeOf, typesOf } from './value-types.js';

/** The schema of a tool's arguments in a dialect, with notes on what the dialect cannot express. */
export function rewriteToSubset(root: JsonObject, dialect: Dialect): Rewritten & { notes: string[] } {
  const { schema, notes } = toRootObject(root);
  return { ...new SubsetWriter(root, dialect).writeRoot(schema), notes };
}

interface Definition {
  name: string;
  /** Set when the definition is complete. */
  written?: Rewritten;
  /** How many objects and arrays are around it. */
  nesting: number;
  isUsed: boolean;
}

class SubsetWriter {
  readonly #root: JsonObject;
  readonly #dialect: Dialect;
  readonly #definitions = new Map<string, Definition>();
  #left = MAX_WRITTEN_SCHEMAS;
  #nesting = 0;
  #references = 0;

  constructor(root: JsonObject, dialect: Dialect) {
    this.#root = root;
    this.#dialect = dialect;
  }

  writeRoot(schema: JsonObject): Rewritten {
    const { properties, additionalProperties: others = true, patternProperties } = schema;
    const isOpen = properties === undefined ? others !== false : isObject(others) && !isTrivial(others);
    // A strict function has no place for arguments without a name.
    if (this.#dialect.isStrict && (isOpen || patternProperties)) throw new TooComplex();
    const written = this.#annotate(this.#object(schema), schema, handledOf(schema));
    const used = [...this.#definitions.values()].filter(({ isUsed }) => isUsed);
    if (used.length === 0) return written;
    const $defs = Object.fromEntries(used.map(({ name, written }) => [name, (written as Rewritten).schema]));
    return { ...written, schema: { ...written.schema, $defs } };
  }

  #write(schema: Schema): Rewritten {
    if (--this.#left < 0) throw new TooComplex();
    if (schema === false) return asText(undefined, 'No value is accepted here.');
    if (schema === true) return asText(undefined, ANY_VALUE);
    if (schema.$ref !== undefined) return this.#reference(schema);
    if (schema.allOf !== undefined) return this.#intersection(schema);
    for (const keyword of ['anyOf', 'oneOf']) if (schema[keyword]) return this.#choice(schema, keyword);
    if (schema.enum !== undefined || schema.const !== undefined) return this.#enumeration(schema);
    const types = typesOf(schema);
    if (types.length === 0) return this.#text(schema);
    if (types.length === 1) return this.#ofType(schema, types[0] as string);
    const members = types.map(type => this.#ofType({ ...keywordsOf(schema, type), type }, type));
    const handled = types.flatMap(type => Object.keys(keywordsOf(schema, type)));
    const union = this.#union(members, constraintsOf(schema));
    return this.#annotate(union, schema, ['type', ...handled]);
  }

  #reference(schema: JsonObject): Rewritten {
    const { $ref, ...own } = schema as { $ref: string };
    const target = resolveReference($ref, this.#root) as Schema;
    const open = this.#definitions.get($ref);
    if (open) return this.#recursion(open, own, target);
    if (!isAnnotation(own)) return this.#intersection({ ...own, allOf: [target, ...listOf(own, 'allOf')] });
    const name = `schema${++this.#references}`;
    const definition: Definition = { name, nesting: this.#nesting, isUsed: false };
    this.#definitions.set($ref, definition);
    const written = this.#write(isObject(target) ? { ...target, ...own } : target);
    if (definition.isUsed) definition.written = written;
    else this.#definitions.delete($ref);
    return written;
  }

  /** A reference to a schema that contains it. */
  #recursion(definition: Definition, own: JsonObject, target: Schema): Rewritten {
    // A schema that is itself, without an object or an array between, has no values.
    if (!definition.written && definition.nesting === this.#nesting) throw new TooComplex();
    if (!this.#dialect.hasReferences) return this.#text({ ...(target as JsonObject), ...own });
    definition.isUsed = true;
    const $ref = `#/$defs/${definition.name}`;
    return this.#annotate(
      {
        // Beside a reference no other keyword is allowed.
        schema: Object.keys(own).length > 0 ? { anyOf: [{ $ref }] } : { $ref },
        restore: value => (definition.written as Rewritten).restore(value),
        fits: value => definition.written?.fits(value) ?? false,
        acceptsNull: mentionsNull(target),
      },
      own,
      [],
    );
  }

  #intersection(schema: JsonObject): Rewritten {
    const { allOf, ...own } = schema;
    const parts = listOf(schema, 'allOf');
    // Generators write a reference with a description like this.
    if (parts.length === 1 && isObject(parts[0]) && isAnnotation(own))
      return this.#write({ ...parts[0], ...own });
    let whole: JsonObject = own;
    const notes: string[] = [];
    for (const part of parts) {
      const { merged, rest } = mergeSchemas(whole, this.#target(part));
      if (Object.keys(rest).length > 0) notes.push(mustMatch(expandReferences(rest, this.#root)));
      whole = merged;
    }
    return this.#write(withNotes(whole, notes));
  }

  #choice(schema: JsonObject, keyword: string): Rewritten {
    const { [keyword]: _, ...own } = schema;
    const choices = listOf(schema, keyword).filter(choice => choice !== false);
    const constraints = constraintsOf(own);
    const members = choices.map(choice => {
      if (isAnnotation(own)) return this.#write(choice);
      const { merged, rest } = mergeSchemas(constraints, this.#target(choice));
      const notes = Object.keys(rest).length > 0 ? [mustMatch(expandReferences(rest, this.#root))] : [];
      return this.#write(withNotes(merged, notes));
    });
    const notes =
      keyword === 'oneOf' && choices.length > 1 ? ['Exactly one of the alternatives may match.'] : [];
    const union = this.#union(members, constraintsOf(schema));
    return this.#annotate(union, withNotes(own, notes), Object.keys(constraints));
  }

  /** A text that is meant as such and a JSON text cannot be told apart: then everything is JSON text. */
  #union(members: readonly Rewritten[], schema: JsonObject): Rewritten {
    if (members.length === 1) return members[0] as Rewritten;
    const strings = members.filter(member => acceptsStrings(member.schema));
    const hasText = strings.some(({ restore, fits }) => fits('0') && restore('0') !== '0');
    return members.length === 0 || (hasText && strings.length > 1) ? this.#text(schema) : asUnion(members);
  }

  #target(schema: Schema): JsonObject {
    let target = schema;
    const own: JsonObject = {};
    for (let step = 0; isObject(target) && target.$ref !== undefined; step++) {
      if (step > MAX_WRITTEN_SCHEMAS) throw new TooComplex();
      const { $ref, ...rest } = target;
      Object.assign(own, rest);
      target = resolveReference($ref as string, this.#root) as Schema;
    }
    return isObject(target) ? { ...target, ...own } : own;
  }

  #enumeration(schema: JsonObject): Rewritten {
    const types = schema.type === undefined ? undefined : typesOf(schema);
    const values = ((schema.enum ?? [schema.const]) as unknown[]).filter(
      value =>
        (!types || types.some(type => isOfType(value, type))) &&
        (schema.const === undefined || jsonText(value) === jsonText(schema.const)),
    );
    if (values.length === 0 || values.some(value => typeof value === 'object' && value !== null))
      return this.#text(schema);
    const groups = new Map<string, unknown[]>();
    for (const value of new Set(values))
      groups.set(typeOf(value), [...(groups.get(typeOf(value)) ?? []), value]);
    const members = [...groups].map(([type, group]) => this.#enumGroup(type, group));
    return this.#annotate(members.length === 1 ? (members[0] as Rewritten) : asUnion(members), schema, [
      'type',
      'enum',
      'const',
    ]);
  }

  #enumGroup(type: string, values: readonly unknown[]): Rewritten {
    const fits = (value: unknown) => values.includes(value);
    if (type === 'null') return { schema: { type }, restore: same, fits };
    const { enumTypes, refusesEmptyTexts } = this.#dialect;
    if (enumTypes.includes(type) && !(refusesEmptyTexts && values.includes('')))
      return { schema: { type, enum: values }, restore: same, fits };
    const isBoth = type === 'boolean' && values.length > 1;
    const description = `Must be ${values.map(jsonText).join(' or ')}.`;
    return { schema: { type, ...(!isBoth && { description }) }, restore: same, fits };
  }

  #ofType(schema: JsonObject, type: string): Rewritten {
    if (type === 'object') return this.#objectOrText(schema);
    if (type === 'array') return this.#array(schema);
    const allowed = this.#dialect.keywords[type === 'integer' ? 'number' : type] ?? [];
    const kept = Object.entries(schema).filter(
      ([keyword, value]) => allowed.includes(keyword) && this.#accepts(keyword, value),
    );
    return this.#annotate(
      {
        schema: { type, ...Object.fromEntries(kept) },
        restore: same,
        fits: value => isOfType(value, type),
      },
      schema,
      ['type', ...kept.map(([keyword]) => keyword)],
    );
  }

  #accepts(keyword: string, value: unknown): boolean {
    if (keyword === 'format') return this.#dialect.formats?.includes(value as string) ?? true;
    // Lookarounds and references to groups cannot be compiled into a grammar.
    return keyword !== 'pattern' || !/\(\?(?!:)|\\[1-9k]|\\[bB]/.test(value as string);
  }

  #array(schema: JsonObject): Rewritten {
    const { items = true, prefixItems = [], minItems, maxItems } = schema;
    this.#nesting++;
    const prefix = (prefixItems as Schema[]).map(item => this.#write(item));
    const isClosed = items === false;
    // After places with schemas, items of any type are not offered: a text there could not be told from JSON text.
    const isRestOffered = !isClosed && (prefix.length === 0 || !isTrivial(items));
    const other = isRestOffered ? this.#write(items as Schema) : undefined;
    this.#nesting--;
    const members = [...prefix, ...(other ? [other] : [])];
    const choices = [...new Map(members.map(member => [JSON.stringify(member.schema), member])).values()];
    const most = isClosed ? Math.min((maxItems as number) ?? prefix.length, prefix.length) : maxItems;
    const member =
      choices.length > 0
        ? this.#union(choices, { anyOf: [...(prefixItems as Schema[]), items] })
        : asText(undefined, ANY_VALUE);
    // Of a union that became text all members are text.
    const isText = choices.length > 1 && member.schema.anyOf === undefined;
    const at = (index: number): Rewritten => (isText ? member : (prefix[index] ?? other ?? member));
    const notes =
      prefix.length > 0 ? [`Its items in order: ${jsonText(expandReferences(prefixItems, this.#root))}`] : [];
    return this.#annotate(
      {
        schema: {
          type: 'array',
          items: member.schema,
          ...(minItems !== undefined && { minItems }),
          ...(most !== undefined && { maxItems: most }),
        },
        restore: value =>
          Array.isArray(value) ? value.map((item, index) => at(index).restore(item)) : value,
        fits: value => Array.isArray(value) && value.every((item, index) => at(index).fits(item)),
      },
      withNotes(schema, notes),
      ['type', 'items', 'prefixItems', 'minItems', 'maxItems'],
    );
  }

  /** An object; as text or as entries, where the dialect wants to know every property and the tool does not say them. */
  #objectOrText(schema: JsonObject): Rewritten {
    const { properties = {}, required = [], additionalProperties: others = true, patternProperties } = schema;
    const isMap = Object.keys(properties as object).length === 0 && (required as string[]).length === 0;
    if (this.#dialect.isStrict) {
      const isTyped = isObject(others) && !isTrivial(others);
      if (patternProperties || (isTyped && !isMap) || (isMap && !isTyped && others !== false))
        return this.#text(schema);
      if (isMap && isTyped) {
        this.#nesting++;
        const entries = asEntries(undefined, this.#write(others));
        this.#nesting--;
        return this.#annotate(entries, schema, handledOf(schema));
      }
    }
    return this.#annotate(this.#object(schema), schema, handledOf(schema));
  }

  #object(schema: JsonObject): Rewritten {
    const { isStrict, propertyNames } = this.#dialect;
    const { properties = {}, required = [] } = schema;
    const others = othersOf(schema);
    const schemas = new Map(Object.entries(properties as Record<string, Schema>));
    for (const name of required as string[]) if (!schemas.has(name)) schemas.set(name, true);
    const isRequired = (name: string) => (required as string[]).includes(name);
    for (const [name, inner] of schemas) if (inner === false && !isRequired(name)) schemas.delete(name);
    const names = modelNames([...schemas.keys()], propertyNames);
    const written = new Map<string, Rewritten & { name: string }>();
    this.#nesting++;
    for (const [name, inner] of schemas) {
      const modelName = names.get(name) as string;
      const value = this.#write(inner);
      const renamed = name === modelName ? value : annotated(value, [`Its name is ${JSON.stringify(name)}.`]);
      written.set(modelName, { ...(isStrict && !isRequired(name) ? asOptional(renamed) : renamed), name });
    }
    const rest = !isStrict && isObject(others) && !isTrivial(others) ? this.#write(others) : undefined;
    this.#nesting--;
    const needed = [...written].filter(([, { name }]) => isStrict || isRequired(name)).map(([name]) => name);
    const isClosed = isStrict || others === false;
    return {
      schema: {
        type: 'object',
        properties: Object.fromEntries([...written].map(([name, { schema }]) => [name, schema])),
        ...((needed.length > 0 || isStrict) && { required: needed }),
        ...(isClosed ? { additionalProperties: false } : rest && { additionalProperties: rest.schema }),
      },
      restore: value => restoreObject(value, written, rest),
      fits: value =>
        isObject(value) &&
        needed.every(name => Object.hasOwn(value, name)) &&
        Object.entries(value).every(
          ([name, member]) => (written.get(name) ?? rest)?.fits(member) ?? !isClosed,
        ),
    };
  }

  #text(schema: JsonObject): Rewritten {
    const { description, title, default: fallback, examples, deprecated, ...constraints } = schema;
    const expanded = expandReferences(constraints, this.#root);
    const note =
      Object.keys(constraints).length > 0
        ? `A JSON text; its value must match this JSON Schema: ${jsonText(expanded)}`
        : ANY_VALUE;
    const notes = [...annotationNotes({ default: fallback, examples }), note].join('\n');
    return asText((description ?? title) as string | undefined, notes);
  }

  /** Adds the description of a schema, and tells in it everything but the keywords that are handled. */
  #annotate(written: Rewritten, schema: JsonObject, handled: readonly string[]): Rewritten {
    const rest = Object.entries(schema).filter(
      ([keyword]) => ![...handled, ...ANNOTATIONS, ...SILENT].includes(keyword),
    );
    const constraints = expandReferences(Object.fromEntries(rest), this.#root);
    const notes = [...annotationNotes(schema), ...(rest.length > 0 ? [mustMatch(constraints)] : [])];
    const description = (schema.description ?? schema.title) as string | undefined;
    return annotated(written, [...(description ? [description] : []), ...notes]);
  }
}

const ANY_VALUE = 'A JSON text of any value.';
const ANNOTATIONS = ['description', 'title', 'default', 'examples', 'deprecated'];
/** They say nothing about a value. */
const SILENT = ['$defs', 'definitions'];

function same(value: unknown): unknown {
  return value;
}

function listOf(schema: JsonObject, keyword: string): Schema[] {
  return (schema[keyword] ?? []) as Schema[];
}

function constraintsOf(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !ANNOTATIONS.includes(keyword)));
}

/** Whether a schema says nothing about values. */
function isAnnotation(schema: JsonObject): boolean {
  return Object.keys(constraintsOf(schema)).length === 0;
}

/** Whether null may be among the values of a schema of the tool. */
function mentionsNull(schema: Schema): boolean {
  if (typeof schema === 'boolean') return false;
  if (schema.$ref !== undefined || schema.const === null) return true;
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap(keyword => listOf(schema, keyword));
  const values = (schema.enum ?? []) as unknown[];
  return [schema.type].flat().includes('null') || values.includes(null) || parts.some(mentionsNull);
}

/** The keywords of an object that its rewritten schema says; a dialect has no word for names that match a pattern. */
function handledOf({ patternProperties }: JsonObject): string[] {
  return ['type', 'properties', 'required', ...(patternProperties ? [] : ['additionalProperties'])];
}

/** The schema of the properties without a name of their own: names may match a pattern also where no others are allowed. */
function othersOf({ additionalProperties = true, patternProperties = {} }: JsonObject): unknown {
  const byPattern = Object.values(patternProperties as Record<string, Schema>);
  if (byPattern.length === 0 || isTrivial(additionalProperties)) return additionalProperties;
  const anyOf = [...byPattern, additionalProperties].filter(schema => schema !== false);
  return anyOf.length === 1 ? anyOf[0] : anyOf.length > 1 && { anyOf };
}

function acceptsStrings(schema: JsonObject): boolean {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.some(acceptsStrings);
  return [schema.type].flat().includes('string');
}

function isTrivial(schema: unknown): boolean {
  return schema === true || (isObject(schema) && Object.keys(schema).length === 0);
}

function annotated(written: Rewritten, notes: readonly string[]): Rewritten {
  if (notes.length === 0) return written;
  const { description, ...rest } = written.schema;
  const text = [...notes, ...(description ? [description] : [])].join('\n');
  return { ...written, schema: { ...rest, description: text } };
}

function annotationNotes(schema: JsonObject): string[] {
  const notes = schema.default === undefined ? [] : [`Default: ${jsonText(schema.default)}`];
  if (schema.examples !== undefined) notes.push(`Examples: ${jsonText(schema.examples)}`);
  return schema.deprecated === true ? [...notes, 'Deprecated.'] : notes;
}

function restoreObject(
  value: unknown,
  written: ReadonlyMap<string, Rewritten & { name: string }>,
  rest: Rewritten | undefined,
): unknown {
  if (!isObject(value)) return value;
  const restored = Object.entries(value).map(([modelName, member]): [string, unknown] => {
    const property = written.get(modelName);
    return property
      ? [property.name, property.restore(member)]
      : [modelName, rest ? rest.restore(member) : member];
  });
  return Object.fromEntries(restored.filter(([, member]) => member !== OMITTED));
}
