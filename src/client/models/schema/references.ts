import { isObject, type JsonObject } from '../../../base/json.js';
import { MAX_EXPANDED_SCHEMAS } from '../limits.js';

/** The schema that a reference such as `#/$defs/node` names; undefined if there is none in this document. */
export function resolveReference(ref: string, root: JsonObject): JsonObject | boolean | undefined {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined;
  let place: unknown = root;
  for (const step of ref.split('/').slice(1)) {
    const name = decodeStep(step);
    if (Array.isArray(place)) place = place[Number(name)];
    else if (isObject(place) && Object.hasOwn(place, name)) place = place[name];
    else return undefined;
  }
  return typeof place === 'boolean' || isObject(place) ? place : undefined;
}

/** A step of a pointer, for a name or an index. */
export function encodeStep(name: string | number): string {
  return encodeURIComponent(String(name).replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%24', '$');
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}

/** A part of a schema with its references replaced by what they name, for texts. Recursion is not followed. */
export function expandReferences(part: unknown, root: JsonObject): unknown {
  let left = MAX_EXPANDED_SCHEMAS;
  const expand = (value: unknown, open: readonly string[]): unknown => {
    if (--left < 0) return value;
    if (Array.isArray(value)) return value.map(item => expand(item, open));
    if (!isObject(value)) return value;
    const { $ref, ...rest } = value;
    if (typeof $ref === 'string' && !open.includes($ref)) {
      const target = resolveReference($ref, root);
      if (isObject(target)) return expand({ ...target, ...rest }, [...open, $ref]);
    }
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, expand(inner, open)]));
  };
  return expand(part, []);
}
