import { UsageError } from '../../base/errors.js';
import { type Expression, OPERATORS, type Rule, type Spec } from './parse.js';
import type { TemplateValue } from './value.js';

/** Expands an expression with values. */
export function expandExpression(
  expression: Expression,
  values: Readonly<Record<string, TemplateValue>>,
): string {
  const rule = OPERATORS[expression.operator];
  const items = expression.specs.flatMap(spec =>
    expandVariable(rule, spec, Object.hasOwn(values, spec.name) ? values[spec.name] : undefined),
  );
  return items.length === 0 ? '' : rule.first + items.join(rule.separator);
}

function expandVariable(rule: Rule, spec: Spec, value: TemplateValue | null): string[] {
  if (value === undefined || value === null) return [];
  const encode = (part: string) => encodeValue(part, rule.reserved, spec.name);
  const label = (name: string, part: string) =>
    rule.named ? name + (part === '' ? rule.empty : `=${part}`) : part;
  if (typeof value !== 'object') {
    const whole = String(value);
    const shown = spec.prefix === undefined ? whole : [...whole].slice(0, spec.prefix).join('');
    return [label(spec.name, encode(shown))];
  }
  if (spec.prefix !== undefined) {
    throw new UsageError(`variable "${spec.name}" must be a string: ":${spec.prefix}" cannot shorten a list`);
  }
  if (isList(value)) {
    const items = value.map(encode);
    if (spec.explode) return items.map(item => label(spec.name, item));
    return items.length === 0 ? [] : [label(spec.name, items.join(','))];
  }
  // The RFC would leave "&" and "=" in the keys of `{?keys*}` as they are; a key must not add parameters.
  const pairs = Object.entries(value).map(([key, item]) => [encode(key), encode(item)] as const);
  if (spec.explode) return pairs.map(([key, item]) => (rule.named ? label(key, item) : `${key}=${item}`));
  return pairs.length === 0 ? [] : [label(spec.name, pairs.flat().join(','))];
}

function isList(value: object): value is readonly string[] {
  return Array.isArray(value);
}

function encodeValue(value: string, reserved: boolean, name: string): string {
  try {
    return reserved ? encodeReserved(value) : encodeUnreserved(value);
  } catch (cause) {
    throw new UsageError(`variable "${name}" has half of a surrogate pair, which no URI can carry`, {
      cause,
    });
  }
}

function encodeUnreserved(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Keeps reserved characters and existing percent-encoding. */
function encodeReserved(value: string): string {
  return value
    .split(/(%[0-9A-Fa-f]{2})/)
    .map((piece, index) =>
      index % 2 === 1 ? piece : encodeURI(piece).replace(/%5B/g, '[').replace(/%5D/g, ']'),
    )
    .join('');
}
