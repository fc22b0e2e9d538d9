/** What a vendor accepts of JSON Schema, as data. */
export interface Dialect {
  /** The keywords beside the structural ones, by type. */
  keywords: Readonly<Record<string, readonly string[]>>;
  /** The formats of strings; all if undefined. */
  formats: readonly string[] | undefined;
  /** The types that `enum` may list. */
  enumTypes: readonly string[];
  /** Whether an empty text may not stand in `enum`. */
  refusesEmptyTexts: boolean;
  propertyNames: RegExp;
  /** Every property is required, no other is allowed. */
  isStrict: boolean;
  /** Whether a schema may refer to itself. */
  hasReferences: boolean;
}

/**
 * Strict functions.
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export const OPENAI_STRICT: Dialect = {
  keywords: {
    string: ['pattern', 'format'],
    number: ['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
    array: ['minItems', 'maxItems'],
  },
  formats: ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'],
  enumTypes: ['string', 'number', 'integer', 'boolean'],
  refusesEmptyTexts: false,
  propertyNames: /^/,
  isStrict: true,
  hasReferences: true,
};

/**
 * `parametersJsonSchema`.
 * @see https://ai.google.dev/gemini-api/docs/structured-output#json_schema_support
 */
export const GEMINI: Dialect = {
  keywords: { string: ['format'], number: ['minimum', 'maximum'], array: ['minItems', 'maxItems'] },
  formats: ['date-time', 'date', 'time'],
  enumTypes: ['string', 'number', 'integer'],
  refusesEmptyTexts: true,
  propertyNames: /^[a-z_][a-z\d_]{0,63}$/i,
  isStrict: false,
  hasReferences: false,
};
