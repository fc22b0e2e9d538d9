import { isSchema, merge, resolve, type Schema } from './schema.js';

/** The kind of field that a schema is shown as. */
export type FieldKind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'constant'
  | 'choices'
  | 'list'
  | 'object'
  | 'map'
  | 'union'
  | 'null'
  | 'any';

/** A value to choose, and its label. */
export interface Choice {
  readonly value: unknown;
  readonly label: string;
}

/** What a schema with variants says of all of them together. */
const OF_THE_WHOLE = new Set(['oneOf', 'anyOf', 'title', 'description', 'default']);

/** The kind of a schema that has been resolved. */
export function kindOf(schema: Schema): FieldKind {
  if ('const' in schema) return 'constant';
  if (choicesOf(schema)) return 'choice';
  if (Array.isArray(schema.type) || optionsOf(schema)) return 'union';
  switch (schema.type) {
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
    case 'null':
      return schema.type;
    case 'array':
      return isSchema(schema.items) && choicesOf(schema.items) ? 'choices' : 'list';
  }
  if (isSchema(schema.properties)) return 'object';
  return schema.type === 'object' ? (schema.additionalProperties === false ? 'object' : 'map') : 'any';
}

/** The values of an enumeration: `enum`, or constants with titles. */
export function choicesOf(schema: Schema): Choice[] | undefined {
  if (Array.isArray(schema.enum)) {
    const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
    return schema.enum.map((value, at) => ({ value, label: String(names[at] ?? nameOf(value)) }));
  }
  const options = optionsOf(schema);
  if (!options?.every(option => isSchema(option) && 'const' in option)) return undefined;
  return (options as Schema[]).map(option => ({
    value: option.const,
    label: String(option.title ?? nameOf(option.const)),
  }));
}

/** The schemas of which one has to be chosen, each with what is asked of all of them. */
export function variantsOf(schema: Schema, root: Schema): Schema[] {
  if (Array.isArray(schema.type)) return schema.type.map(type => ({ ...schema, type }));
  const common = Object.fromEntries(Object.entries(schema).filter(([name]) => !OF_THE_WHOLE.has(name)));
  const options = optionsOf(schema)?.filter(isSchema) ?? [];
  return options.map(option => merge(common, resolve(option, root)));
}

/** The names of variants, for the list to choose from. */
export function labelsOf(variants: readonly Schema[]): string[] {
  const labels = variants.map(labelOf);
  const isShared = (label: string) => labels.indexOf(label) !== labels.lastIndexOf(label);
  return labels.map((label, at) => (isShared(label) ? `${label} (${at + 1})` : label));
}

function labelOf(schema: Schema, at: number): string {
  if (typeof schema.title === 'string') return schema.title;
  if ('const' in schema) return nameOf(schema.const);
  const tag = Object.values(isSchema(schema.properties) ? schema.properties : {}).find(
    property => isSchema(property) && typeof property.const === 'string',
  );
  if (isSchema(tag)) return String(tag.const);
  return typeof schema.type === 'string' ? schema.type : `Option ${at + 1}`;
}

function optionsOf(schema: Schema): unknown[] | undefined {
  if (Array.isArray(schema.oneOf)) return schema.oneOf;
  return Array.isArray(schema.anyOf) ? schema.anyOf : undefined;
}

function nameOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
