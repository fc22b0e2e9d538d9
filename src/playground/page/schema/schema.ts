/** A JSON Schema of a server. Nothing in it can be trusted to have the right type. */
export type Schema = Readonly<Record<string, unknown>>;

/** How many references and levels of `allOf` are followed. */
const MAX_STEPS = 20;

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The schema itself, for one that refers to another or is made of several. */
export function resolve(schema: unknown, root: Schema, steps = MAX_STEPS): Schema {
  if (!isSchema(schema)) return {};
  if (steps === 0) return {};
  if (typeof schema.$ref === 'string') {
    const { $ref, ...own } = schema;
    return { ...resolve(find($ref as string, root), root, steps - 1), ...own };
  }
  if (!Array.isArray(schema.allOf)) return schema;
  const { allOf, ...own } = schema;
  return (allOf as unknown[]).map(part => resolve(part, root, steps - 1)).reduce(merge, own);
}

/** The schemas of an object's properties, by name. */
export function propertiesOf(schema: Schema): [name: string, schema: unknown][] {
  return isSchema(schema.properties) ? Object.entries(schema.properties) : [];
}

export function isRequired(schema: Schema, name: string): boolean {
  return Array.isArray(schema.required) && schema.required.includes(name);
}

/** A member of an object, if it is its own: a property may be called `constructor`. */
export function memberOf(object: Schema, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The text of a member such as `title` or `description`. */
export function textOf(schema: Schema, member: string): string | undefined {
  const text = schema[member];
  return typeof text === 'string' && text !== '' ? text : undefined;
}

export function numberOf(schema: Schema, member: string): number | undefined {
  const number = schema[member];
  return typeof number === 'number' ? number : undefined;
}

function find(reference: string, root: Schema): unknown {
  if (!reference.startsWith('#')) return {};
  const steps = reference.slice(1).split('/').slice(1).map(decodeStep);
  return steps.reduce<unknown>((at, step) => (isSchema(at) ? at[step] : undefined), root);
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}

/** A schema that asks for everything that both ask for, as far as a form shows it. */
export function merge(one: Schema, other: Schema): Schema {
  return {
    ...one,
    ...other,
    ...(isSchema(one.properties) && isSchema(other.properties)
      ? { properties: { ...one.properties, ...other.properties } }
      : {}),
    ...(Array.isArray(one.required) && Array.isArray(other.required)
      ? { required: [...one.required, ...other.required] }
      : {}),
  };
}
