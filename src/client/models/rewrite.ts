import { isObject, type JsonObject } from '../../base/json.js';
import { cleanSchema } from './schema/clean.js';
import { joinNotes, jsonText } from './schema/describe.js';
import { type Dialect, GEMINI, OPENAI_STRICT } from './schema/dialect.js';
import { withoutLookarounds } from './schema/lookarounds.js';
import { rewriteTop } from './schema/open.js';
import { asText, type Rewritten } from './schema/rewritten.js';
import { isWithinStrictLimits } from './schema/strict-limits.js';
import { rewriteToSubset } from './schema/subset.js';
import { TooComplex } from './schema/too-complex.js';

/** The schema of a tool's arguments as one vendor takes it. */
export interface ModelSchema {
  schema: JsonObject;
  /** What the schema cannot express, for the description of the tool. */
  notes: string[];
  isStrict: boolean;
  /** The arguments for the tool, from what the model sent. */
  restore: (value: unknown) => unknown;
}

/** Rewrites the input schema of a tool for a vendor. */
export type SchemaRewriter = (inputSchema: unknown) => ModelSchema;

/** For a strict function of OpenAI; tools that a strict function cannot take become functions that are not strict. */
export const forOpenAIStrict: SchemaRewriter = inputSchema => {
  const root = readable(inputSchema);
  const written = root && attempt(() => rewriteToSubset(root, OPENAI_STRICT));
  return written && isWithinStrictLimits(written.schema)
    ? { ...written, isStrict: true }
    : forOpenAI(inputSchema);
};

export const forOpenAI: SchemaRewriter = inputSchema =>
  openly(inputSchema, root => rewriteTop(withoutLookarounds(root), /^/));

export const forAnthropic: SchemaRewriter = inputSchema =>
  openly(inputSchema, root => rewriteTop(root, /^[\w.-]{1,64}$/));

export const forGemini: SchemaRewriter = inputSchema => withSubset(inputSchema, GEMINI);

function openly(
  inputSchema: unknown,
  rewrite: (root: JsonObject) => ReturnType<typeof rewriteTop>,
): ModelSchema {
  const root = readable(inputSchema);
  const written = root && attempt(() => rewrite(root));
  return written ? { ...written, isStrict: false } : inOneText(inputSchema);
}

function withSubset(inputSchema: unknown, dialect: Dialect): ModelSchema {
  const root = readable(inputSchema);
  const written = root && attempt(() => rewriteToSubset(root, dialect));
  return written ? { ...written, isStrict: false } : inOneText(inputSchema);
}

function readable(inputSchema: unknown): JsonObject | undefined {
  return attempt(() => cleanSchema(isObject(inputSchema) ? inputSchema : {}));
}

/** Undefined if a schema is too complex. */
function attempt<T>(rewrite: () => T): T | undefined {
  try {
    return rewrite();
  } catch (error) {
    if (error instanceof TooComplex) return undefined;
    throw error;
  }
}

/** One parameter for all arguments, for schemas that nothing else can be made of. */
function inOneText(inputSchema: unknown): ModelSchema {
  const note = `The arguments as a JSON text; it must match this JSON Schema: ${jsonText(inputSchema)}`;
  const text: Rewritten = asText(undefined, note);
  return {
    schema: { type: 'object', properties: { arguments: text.schema }, required: ['arguments'] },
    notes: [],
    isStrict: false,
    restore: value => text.restore(isObject(value) ? value.arguments : value),
  };
}

/** The description of a tool with notes about its schema. */
export function describeTool(
  tool: { title?: string; description?: string },
  notes: readonly string[],
): string | undefined {
  return joinNotes(tool.description ?? tool.title, notes);
}
