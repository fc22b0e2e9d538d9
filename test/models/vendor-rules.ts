import { Ajv2020 } from 'ajv/dist/2020.js';

/**
 * What each vendor publishes about the schemas and names that it accepts, as a table; docs/models.md names the sources.
 * It is written without a look at the code that rewrites schemas.
 */
interface Rules {
  functionName: RegExp;
  /** Names of properties, on all levels or at the top only. */
  propertyName?: { pattern: RegExp; where: 'everywhere' | 'top' };
  /** Keywords that may not stand at the top. */
  notAtTop: readonly string[];
  /** Whether the top must have `properties`, even if there are none. */
  needsProperties?: boolean;
  /** The only keywords that may stand anywhere; without it all of 2020-12. */
  keywords?: readonly string[];
  /** Keywords that are allowed beside one type only. */
  keywordsOfType?: Readonly<Record<string, readonly string[]>>;
  formats?: readonly string[];
  /** What no pattern may contain. */
  notInPatterns?: RegExp;
  refusesEmptyTexts?: boolean;
  enumOf?: readonly string[];
  /** All properties required, none beside them. */
  isClosed?: boolean;
  needsItems: boolean;
  /** Whether every schema must say its type. */
  needsTypes: boolean;
  refAlone?: boolean;
  limits?: { properties: number; levels: number; enumValues: number; characters: number };
}

const LOOKAROUNDS = /\(\?<?[=!]/;
const NUMERIC = ['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];

export const RULES = {
  'openai strict': {
    functionName: /^[a-zA-Z0-9_-]{1,64}$/,
    notAtTop: ['anyOf', '$ref', 'enum'],
    needsProperties: true,
    keywords: ['type', 'description', 'enum', 'const', 'anyOf', '$ref', '$defs'],
    keywordsOfType: {
      string: ['pattern', 'format'],
      number: NUMERIC,
      integer: NUMERIC,
      array: ['items', 'minItems', 'maxItems'],
      object: ['properties', 'required', 'additionalProperties'],
    },
    formats: ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'],
    isClosed: true,
    notInPatterns: LOOKAROUNDS,
    needsItems: true,
    needsTypes: true,
    refAlone: true,
    limits: { properties: 5000, levels: 10, enumValues: 1000, characters: 120_000 },
  },
  openai: {
    functionName: /^[a-zA-Z0-9_-]{1,64}$/,
    notAtTop: ['oneOf', 'anyOf', 'allOf', 'enum', 'const', 'not', '$ref'],
    needsProperties: true,
    notInPatterns: LOOKAROUNDS,
    needsItems: true,
    needsTypes: false,
  },
  anthropic: {
    functionName: /^[a-zA-Z0-9_-]{1,64}$/,
    propertyName: { pattern: /^[a-zA-Z0-9_.-]{1,64}$/, where: 'top' },
    notAtTop: ['oneOf', 'anyOf', 'allOf', '$ref'],
    needsItems: false,
    needsTypes: false,
  },
  gemini: {
    functionName: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,62}$|^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/,
    propertyName: { pattern: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, where: 'everywhere' },
    notAtTop: ['anyOf', 'oneOf', '$ref', 'enum'],
    keywords: [
      ...['$id', '$defs', '$ref', '$anchor', 'type', 'format', 'title', 'description', 'enum', 'items'],
      ...['prefixItems', 'minItems', 'maxItems', 'minimum', 'maximum', 'anyOf', 'oneOf', 'properties'],
      ...['additionalProperties', 'required', 'propertyOrdering'],
    ],
    enumOf: ['string', 'number'],
    refusesEmptyTexts: true,
    needsItems: true,
    needsTypes: true,
    refAlone: true,
  },
} as const satisfies Record<string, Rules>;

export type Vendor = keyof typeof RULES;

type Schema = Record<string, any>;

/** What is wrong with a definition by the rules of a vendor; empty if it is right. */
export function violations(vendor: Vendor, name: string, schema: Schema): string[] {
  const rules: Rules = RULES[vendor];
  const found: string[] = [];
  if (!rules.functionName.test(name)) found.push(`the name ${name}`);
  if (schema.type !== 'object') found.push('the top is no object');
  for (const keyword of rules.notAtTop) if (keyword in schema) found.push(`${keyword} at the top`);
  if (rules.needsProperties && !schema.properties) found.push('no properties at the top');
  if (!ajv.validateSchema(schema)) found.push(`not 2020-12: ${ajv.errorsText()}`);
  walk(schema, 'top', (inner, path) => {
    found.push(...localViolations(rules, inner, path));
    if (inner.$ref && !leadsSomewhere(inner.$ref, schema)) found.push(`${path}: ${inner.$ref} leads nowhere`);
  });
  if (rules.limits) found.push(...beyondLimits(rules.limits, schema));
  return found;
}

const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });

function leadsSomewhere(ref: string, schema: Schema): boolean {
  const steps = ref.split('/').slice(1);
  const names = steps.map(step => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce<any>((place, name) => place?.[name], schema) !== undefined;
}

function localViolations(rules: Rules, schema: Schema, path: string): string[] {
  const found: string[] = [];
  const say = (problem: string) => found.push(`${path}: ${problem}`);
  const types: string[] = [schema.type ?? []].flat();
  if (rules.keywords) {
    const allowed = [...rules.keywords, ...types.flatMap(type => rules.keywordsOfType?.[type] ?? [])];
    for (const keyword of Object.keys(schema))
      if (!allowed.includes(keyword)) say(`${keyword} is not supported`);
  }
  if (rules.needsTypes && types.length === 0 && !schema.anyOf && !schema.$ref) say('no type');
  if (rules.refAlone && schema.$ref && Object.keys(schema).some(key => !key.startsWith('$')))
    say('$ref is not alone');
  if (rules.formats && schema.format && !rules.formats.includes(schema.format))
    say(`format ${schema.format}`);
  if (rules.enumOf && schema.enum?.some((value: unknown) => !rules.enumOf?.includes(typeof value)))
    say('enum');
  const patterns = [schema.pattern ?? [], Object.keys(schema.patternProperties ?? {})].flat();
  if (patterns.some((pattern: string) => rules.notInPatterns?.test(pattern))) say('a pattern');
  if (rules.refusesEmptyTexts && schema.enum?.includes('')) say('an empty text in enum');
  if (rules.needsItems && types.includes('array') && !schema.items) say('no items');
  const names = Object.keys(schema.properties ?? {});
  if (rules.isClosed && types.includes('object')) {
    if (schema.additionalProperties !== false) say('not closed');
    if ([...(schema.required ?? [])].sort().join() !== names.sort().join()) say('not all required');
  }
  if (rules.propertyName && (rules.propertyName.where === 'everywhere' || path === 'top')) {
    for (const name of names) if (!rules.propertyName.pattern.test(name)) say(`the property ${name}`);
  }
  return found;
}

function beyondLimits(limits: NonNullable<Rules['limits']>, schema: Schema): string[] {
  let properties = 0;
  let enumValues = 0;
  let characters = 0;
  walk(schema, 'top', inner => {
    const names = [...Object.keys(inner.properties ?? {}), ...Object.keys(inner.$defs ?? {})];
    properties += Object.keys(inner.properties ?? {}).length;
    enumValues += inner.enum?.length ?? 0;
    characters += [...names, ...(inner.enum ?? [])].join('').length;
  });
  const measured = { properties, enumValues, characters, levels: levelsOf(schema) };
  return Object.entries(measured).flatMap(([name, value]) =>
    value > limits[name as keyof typeof limits] ? [`${value} ${name}`] : [],
  );
}

/** How many objects are inside each other. */
function levelsOf(schema: Schema): number {
  const inner = [
    ...Object.values<Schema>(schema.properties ?? {}),
    ...(schema.anyOf ?? []),
    ...(schema.items ? [schema.items] : []),
  ].map(levelsOf);
  return Math.max(0, ...inner) + (schema.properties ? 1 : 0);
}

const IN_LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const IN_MAPS = ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'];
const DIRECT = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];

function walk(schema: unknown, path: string, visit: (schema: Schema, path: string) => void): void {
  if (typeof schema !== 'object' || schema === null) return;
  const whole = schema as Schema;
  visit(whole, path);
  for (const key of DIRECT) walk(whole[key], `${path}/${key}`, visit);
  for (const key of IN_LISTS) {
    for (const [at, inner] of (whole[key] ?? []).entries()) walk(inner, `${path}/${key}/${at}`, visit);
  }
  for (const key of IN_MAPS) {
    for (const [name, inner] of Object.entries(whole[key] ?? {}))
      walk(inner, `${path}/${key}/${name}`, visit);
  }
}
