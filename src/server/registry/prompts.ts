import { defined } from '../../base/defined.js';
import { UsageError } from '../../base/errors.js';
import { isObject, type JsonObject, type JsonSchema } from '../../base/json.js';
import type { OptionNames } from '../../base/options.js';
import type { Call } from '../../protocol/call.js';
import type { ContentBlock, Icon } from '../../protocol/content.js';
import { invalidParams } from '../../protocol/errors.js';
import type { InputRequiredResult } from '../../protocol/input.js';
import type { GetPromptResult, Prompt, PromptArgument, PromptMessage } from '../../protocol/prompts.js';
import { Context, useContext } from '../context/context.js';
import {
  type CompiledSchema,
  compileSchema,
  fieldsOf,
  type Infer,
  type InferInput,
  type Schema,
} from '../schema/schema.js';
import { ACCESS_OPTIONS, type AccessOptions, compileAccess } from './access.js';
import type { Completers } from './completion.js';
import type { ErrorPolicy } from './error-policy.js';
import { checkCompleters, checkRegistration } from './registration.js';
import type { Entry, Handle } from './registry.js';

/** The options of a prompt. */
export interface PromptOptions<I extends Schema | undefined> extends AccessOptions {
  title?: string | undefined;
  description?: string | undefined;
  /** The arguments: an object of strings. The titles and descriptions of its properties are listed. */
  input?: (I & StringArguments<I>) | undefined;
  /** Suggestions for arguments. */
  complete?: Completers<I extends Schema ? Infer<I> : Record<string, unknown>> | undefined;
  icons?: Icon[] | undefined;
  meta?: JsonObject | undefined;
}

/** Accepts a schema only if its fields are strings. The type's key is the message that the author sees. */
type StringArguments<I> = [NotStrings<InferInput<I>>] extends [never]
  ? unknown
  : { readonly 'arguments of prompts are strings, but these are not': NotStrings<InferInput<I>> };

type NotStrings<T> = {
  [K in keyof T & string]-?: string extends T[K] ? never : T[K] extends string | undefined ? never : K;
}[keyof T & string];

/** Creates the messages of a prompt from its arguments. */
export type PromptHandler<I extends Schema | undefined> = (
  args: I extends Schema ? Infer<I> : Record<string, unknown>,
  ctx: Context,
) => PromptReturn | Promise<PromptReturn>;

/** Text, a block or a message, a list of them, or a full result with such a list. Text and blocks get the role `user`. */
export type PromptReturn =
  | string
  | ContentBlock
  | PromptMessage
  | readonly (string | ContentBlock | PromptMessage)[]
  | (Omit<GetPromptResult, 'messages'> & { messages: readonly (string | ContentBlock | PromptMessage)[] })
  | InputRequiredResult;

/** A registered prompt. */
export interface PromptHandle extends Handle {
  replace<const I extends Schema | undefined = undefined>(
    options: PromptOptions<I>,
    handler: PromptHandler<I>,
  ): void;
}

export interface PromptEntry extends Entry {
  readonly listing: Prompt;
  readonly complete: Completers | undefined;
  get(call: Call): Promise<object>;
}

type AnyHandler = (args: never, ctx: Context) => unknown;

const PROMPT_OPTIONS: OptionNames<PromptOptions<undefined>> = {
  title: 1,
  description: 1,
  input: 1,
  complete: 1,
  icons: 1,
  meta: 1,
  ...ACCESS_OPTIONS,
};

export function compilePrompt(
  name: string,
  options: PromptOptions<Schema | undefined>,
  handler: AnyHandler,
  errors: ErrorPolicy,
): PromptEntry {
  const what = `prompt "${name}"`;
  const usage = `server.prompt("${name}", { … }, handler)`;
  checkRegistration({ what, usage, options, handler, known: PROMPT_OPTIONS });
  const input = options.input && compileSchema(options.input, `the input of ${what}`, 'input', errors.report);
  const handling = { who: what, report: errors.report };
  const args = input && listArguments(input.json, options.input as Schema, what);
  checkCompleters(options.complete, args?.map(arg => arg.name) ?? [], what);
  return {
    listing: defined({
      name,
      title: options.title,
      description: options.description,
      arguments: args,
      icons: options.icons,
      _meta: options.meta,
    }),
    access: compileAccess(options, what),
    complete: options.complete as Completers | undefined,
    async get(call) {
      const { toPromptResult } = await call.asking.get();
      const args = await readArguments(call.params, input, what);
      const returned = await useContext(new Context(call), handling, context =>
        handler(args as never, context),
      );
      return toPromptResult(call, returned, options.description, what);
    },
  };
}

function listArguments(json: JsonSchema, schema: Schema, what: string): PromptArgument[] {
  if (!isObject(json.properties)) throw new UsageError(`the input of ${what} must be an object of strings`);
  const required = Array.isArray(json.required) ? json.required : [];
  return Object.entries(json.properties).map(([name, property]) => {
    const { type = 'string', title, description } = isObject(property) ? property : {};
    if (![type].flat().includes('string') && !convertsText(fieldsOf(schema)[name])) {
      throw new UsageError(
        `the argument "${name}" of ${what} is a ${type}, but arguments of prompts are strings; ` +
          'convert it: z.coerce.number()',
      );
    }
    return {
      name,
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      ...(required.includes(name) && { required: true }),
    };
  });
}

/** The JSON Schema of a zod schema that converts a string describes the converted value, so zod's own data is read. */
function convertsText(field: unknown): boolean {
  const def = (field as ZodField | undefined)?._zod?.def;
  return !!def && (def.coerce === true || def.type === 'transform' || convertsText(def.innerType ?? def.in));
}

interface ZodField {
  _zod?: { def: { type: string; coerce?: boolean; innerType?: unknown; in?: unknown } };
}

async function readArguments(
  params: JsonObject,
  input: CompiledSchema | undefined,
  what: string,
): Promise<unknown> {
  const args = params.arguments ?? {};
  if (!isObject(args) || !Object.values(args).every(value => typeof value === 'string')) {
    throw invalidParams('arguments of a prompt must be an object of strings');
  }
  if (!input) return args;
  const checked = await input.check(args);
  if ('problem' in checked) throw invalidParams(`invalid arguments for ${what}: ${checked.problem}`);
  return checked.value;
}
