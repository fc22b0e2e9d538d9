import * as fc from 'fast-check';

type Schema = Record<string, unknown>;

/** One value in the words of the tool, and as a model has to write it. */
export interface Sample {
  value: unknown;
  /** For a strict function: what is left out is null, maps are lists of entries, values of any type are texts. */
  strict: unknown;
  /** For Gemini: values of any type are texts. */
  gemini: unknown;
}

/** A schema with samples of its values. */
interface Node {
  schema: Schema;
  /** Whether null is among its values. */
  isNullable?: boolean;
  defs?: Record<string, Schema>;
  sample: (random: () => number) => Sample;
}

/** The input schema of a tool, and arguments for it. */
export interface GeneratedTool {
  schema: Schema;
  samples: Sample[];
}

/** A tool with random parameters, nested up to three levels. */
export function generatedTool(): fc.Arbitrary<GeneratedTool> {
  return fc.tuple(objectNode(3), fc.nat()).map(([node, seed]) => {
    const random = numbers(seed);
    const schema = node.defs ? { ...node.schema, $defs: node.defs } : node.schema;
    return { schema, samples: Array.from({ length: 3 }, () => node.sample(random)) };
  });
}

function plain(schema: Schema, values: readonly unknown[], isNullable = false): Node {
  return {
    schema,
    isNullable,
    sample: random => {
      const value = values[Math.floor(random() * values.length)];
      return { value, strict: value, gemini: value };
    },
  };
}

const LEAVES = [
  plain({ type: 'string', description: 'A name.' }, ['', 'Ada', '{"not": "parsed"}', '42']),
  plain({ type: 'string', minLength: 2, maxLength: 5, pattern: '^[a-z]+$' }, ['ab', 'abcde']),
  plain({ type: 'string', pattern: '^(?!x)' }, ['abc']),
  plain({ type: 'string', format: 'uri' }, ['https://example.com/']),
  plain({ type: 'string', format: 'date-time' }, ['2026-07-28T00:00:00Z']),
  plain({ type: 'string', default: 'red', examples: ['blue'] }, ['red', 'green']),
  plain({ type: 'number', exclusiveMinimum: 0, maximum: 10 }, [0.5, 10]),
  plain({ type: 'integer', minimum: 1, multipleOf: 2 }, [2, 40]),
  plain({ type: 'boolean' }, [true, false]),
  plain({ enum: ['north', 'south'] }, ['north', 'south']),
  plain({ type: 'integer', enum: [1, 2, 3] }, [1, 3]),
  plain({ enum: ['a', 1, true, null] }, ['a', 1, true, null], true),
  plain({ const: 'fixed' }, ['fixed']),
  plain({ const: true }, [true]),
  plain({ type: ['string', 'null'], title: 'May be null' }, ['text', null], true),
  plain({ type: ['integer', 'string'], minimum: 3, minLength: 1 }, [3, 'abc']),
  plain({ anyOf: [{ type: 'integer' }, { type: 'null' }] }, [7, null], true),
  plain({ oneOf: [{ type: 'integer' }, { type: 'boolean' }] }, [7, false]),
  plain({ type: 'string', not: { const: 'no' } }, ['yes']),
];

const ANYTHING = [{}, { description: 'Whatever it is.' }].map(
  (schema): Node => ({
    schema,
    sample: random => {
      const value = [1, 'text', null, [true], { a: { b: 2 } }][Math.floor(random() * 5)];
      return { value, strict: JSON.stringify(value), gemini: JSON.stringify(value) };
    },
  }),
);

function node(depth: number): fc.Arbitrary<Node> {
  const leaf = fc.constantFrom(...LEAVES, ...ANYTHING);
  if (depth === 0) return leaf;
  return fc.oneof(
    { arbitrary: leaf, weight: 4 },
    { arbitrary: objectNode(depth - 1), weight: 2 },
    { arbitrary: node(depth - 1).map(arrayNode), weight: 2 },
    { arbitrary: fc.array(node(depth - 1), { minLength: 1, maxLength: 3 }).map(tupleNode), weight: 1 },
    { arbitrary: node(depth - 1).map(mapNode), weight: 1 },
    { arbitrary: fc.tuple(objectNode(depth - 1), objectNode(depth - 1)).map(unionNode), weight: 1 },
    { arbitrary: objectNode(depth - 1).map(referenceNode), weight: 1 },
  );
}

const NAMES = ['a', 'b', 'firstName', 'last_name', 'items', 'type', 'value', 'constructor'];

function objectNode(depth: number): fc.Arbitrary<Node> {
  const property = fc.record({ node: node(depth), isRequired: fc.boolean() });
  const properties = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 4 });
  return properties.chain(names =>
    fc
      .tuple(
        fc.array(property, { minLength: names.length, maxLength: names.length }),
        fc.boolean(),
        fc.boolean(),
      )
      .map(([members, isClosed, isSplit]) => {
        const parts = members.map((member, at) => ({ name: names[at] as string, ...member }));
        const schema: Schema = {
          type: 'object',
          properties: Object.fromEntries(parts.map(({ name, node }) => [name, node.schema])),
          required: parts.filter(({ isRequired }) => isRequired).map(({ name }) => name),
          // Nested objects without properties and without this are free: those have samples of their own.
          ...((isClosed || parts.length === 0) && { additionalProperties: false }),
        };
        return {
          // The same, said in two parts.
          schema: isSplit && !isClosed && parts.length > 0 ? { allOf: [schema, { type: 'object' }] } : schema,
          defs: Object.assign({}, ...members.map(({ node }) => node.defs ?? {})),
          sample: random => sampleObject(parts, random),
        } satisfies Node;
      }),
  );
}

function sampleObject(
  parts: readonly { name: string; node: Node; isRequired: boolean }[],
  random: () => number,
): Sample {
  const value: Schema = {};
  const strict: Schema = {};
  const gemini: Schema = {};
  for (const { name, node, isRequired } of parts) {
    if (!isRequired && random() < 0.4) strict[name] = null;
    else {
      const sample = node.sample(random);
      value[name] = sample.value;
      gemini[name] = sample.gemini;
      strict[name] = !isRequired && node.isNullable ? { value: sample.strict } : sample.strict;
    }
  }
  return { value, strict, gemini };
}

function arrayNode(item: Node): Node {
  return {
    schema: { type: 'array', items: item.schema, maxItems: 3, uniqueItems: false },
    defs: item.defs ?? {},
    sample: random => {
      const samples = Array.from({ length: Math.floor(random() * 3) }, () => item.sample(random));
      return every(samples);
    },
  };
}

/** A list whose items have a place each. All of the same kind, so that a model may tell them apart by their place. */
function tupleNode(items: readonly Node[]): Node {
  const [first] = items as [Node];
  return {
    schema: {
      type: 'array',
      prefixItems: items.map(() => first.schema),
      items: false,
      minItems: items.length,
    },
    defs: first.defs ?? {},
    sample: random => every(items.map(() => first.sample(random))),
  };
}

function every(samples: readonly Sample[]): Sample {
  return {
    value: samples.map(({ value }) => value),
    strict: samples.map(({ strict }) => strict),
    gemini: samples.map(({ gemini }) => gemini),
  };
}

function mapNode(member: Node): Node {
  const isAnything = Object.keys(member.schema).every(key => key === 'description');
  return {
    schema: { type: 'object', additionalProperties: member.schema },
    defs: member.defs ?? {},
    sample: random => {
      const entries = ['x', 'y z', 'constructor'].slice(0, Math.floor(random() * 4)).map(key => ({
        key,
        ...member.sample(random),
      }));
      const value = Object.fromEntries(entries.map(({ key, value }) => [key, value]));
      const isFree = isAnything && Object.keys(member.schema).length === 0;
      return {
        value,
        strict: isFree ? JSON.stringify(value) : entries.map(({ key, strict }) => ({ key, value: strict })),
        gemini: isFree ? value : Object.fromEntries(entries.map(({ key, gemini }) => [key, gemini])),
      };
    },
  };
}

/** Two objects that a property tells apart. */
function unionNode([one, other]: [Node, Node]): Node {
  const kinds = [one, other].map((node, at) => withKind(node, `kind${at}`));
  return {
    schema: { anyOf: kinds.map(({ schema }) => schema) },
    defs: { ...one.defs, ...other.defs },
    sample: random => (kinds[random() < 0.5 ? 0 : 1] as Node).sample(random),
  };
}

function withKind(node: Node, kind: string): Node {
  const tag = { type: 'object', properties: { kind: { const: kind } }, required: ['kind'] };
  const { additionalProperties, ...open } = node.schema;
  return {
    ...node,
    schema: { allOf: [tag, open] },
    sample: random => {
      const { value, strict, gemini } = node.sample(random);
      const tagged = (sent: unknown) => ({ kind, ...(sent as object) });
      return { value: tagged(value), strict: tagged(strict), gemini: tagged(gemini) };
    },
  };
}

/** References are named after what they refer to, so that equal ones meet and others do not. */
function referenceNode(target: Node): Node {
  const name = `d${JSON.stringify(target.schema).length}_${hash(JSON.stringify(target.schema))}`;
  return { ...target, schema: { $ref: `#/$defs/${name}` }, defs: { ...target.defs, [name]: target.schema } };
}

function hash(text: string): number {
  let sum = 7;
  for (const character of text) sum = (Math.imul(sum, 31) + character.charCodeAt(0)) >>> 0;
  return sum;
}

/** The same numbers for the same seed. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
