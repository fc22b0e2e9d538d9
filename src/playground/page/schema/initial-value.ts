import { kindOf } from './kind.js';
import { isRequired, propertiesOf, resolve, type Schema } from './schema.js';

/** How deep required members are filled in: a schema may require itself. */
const MAX_DEPTH = 6;

/** The value that a form begins with: defaults and constants, and what needs no decision. `undefined` means absent. */
export function initialValue(given: unknown, root: Schema, depth = 0): unknown {
  const schema = resolve(given, root);
  if ('default' in schema) return structuredClone(schema.default);
  switch (kindOf(schema)) {
    case 'constant':
      return schema.const;
    case 'null':
      return null;
    case 'list':
    case 'choices':
      return [];
    case 'map':
      return {};
    case 'object':
      return depth < MAX_DEPTH ? initialObject(schema, root, depth) : undefined;
    default:
      return undefined;
  }
}

function initialObject(schema: Schema, root: Schema, depth: number): Record<string, unknown> {
  const members = propertiesOf(schema).map(([name, property]): [string, unknown] => {
    const isNeeded = isRequired(schema, name) || 'default' in resolve(property, root);
    return [name, isNeeded ? initialValue(property, root, depth + 1) : undefined];
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}
