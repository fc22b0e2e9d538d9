import { UsageError } from '../../base/errors.js';
import { isObject, type JsonObject, type JsonSchema } from '../../base/json.js';
import type { Call } from '../../protocol/call.js';
import type { ContentBlock, Icon } from '../../protocol/content.js';
import { invalidParams } from '../../protocol/errors.js';
import type { InputRequiredResult } from '../../protocol/input.js';
import type { GetPromptResult, Prompt, PromptArgument, PromptMessage } from '../../protocol/prompts.js';
import { Context } from '../context/context.js';
import { readQuestions } from '../context/questions.js';
import { type CompiledSchema, compileSchema, type Infer, type Schema } from '../schema/schema.js';
import { type AccessOptions, compileAccess } from './access.js';
import type { Completers } from './completion.js';
import type { Entry, Handle } from './registry.js';
import { type ErrorPolicy, isBlock } from './tools.js';

/** How a prompt describes itself. */
export interface PromptOptions<I extends Schema | undefined> extends AccessOptions {
  title?: string | undefined;
  description?: string | undefined;
  /** The arguments: an object of strings. Descriptions and titles of its properties are listed. */
  input?: I | undefined;
  /** Suggestions for arguments. */
  complete?: Completers<I extends Schema ? Infer<I> : Record<string, unknown>> | undefined;
  icons?: Icon[] | undefined;
  meta?: JsonObject | undefined;
}

export type PromptHandler<I extends Schema | undefined> = (
  args: I extends Schema ? Infer<I> : Record<string, unknown>,
  ctx: Context,
) => PromptReturn | Promise<PromptReturn>;

/** Text, a block or a message, a list of them, or a full result. Text and blocks speak for the user. */
export type PromptReturn =
  | string
  | ContentBlock
  | PromptMessage
  | readonly (string | ContentBlock | PromptMessage)[]
  | GetPromptResult
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

export function compilePrompt(
  name: string,
  options: PromptOptions<Schema | undefined>,
  handler: AnyHandler,
  errors: ErrorPolicy,
): PromptEntry {
  const what = `prompt "${name}"`;
  const input = options.input && compileSchema(options.input, `the input of ${what}`, 'input', errors.report);
  return {
    listing: {
      name,
      ...(options.title !== undefined && { title: options.title }),
      ...(options.description !== undefined && { description: options.description }),
      ...(input && { arguments: listArguments(input.json, what) }),
      ...(options.icons && { icons: options.icons }),
      ...(options.meta && { _meta: options.meta }),
    },
    access: compileAccess(options, what),
    complete: options.complete as Completers | undefined,
    async get(call) {
      const args = await readArguments(call.params, input, what);
      const returned = await handler(args as never, new Context(call));
      return toResult(call, returned, options.description, what);
    },
  };
}

function listArguments(schema: JsonSchema, what: string): PromptArgument[] {
  if (!isObject(schema.properties)) throw new UsageError(`the input of ${what} must be an object of strings`);
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([name, property]) => {
    const { title, description } = isObject(property) ? property : {};
    return {
      name,
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      ...(required.includes(name) && { required: true }),
    };
  });
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

function toResult(call: Call, returned: unknown, description: string | undefined, what: string): object {
  if (isObject(returned) && returned.resultType === 'input_required')
    return readQuestions(call, returned) ?? nonsense(what);
  const about = description === undefined ? {} : { description };
  if (isObject(returned) && Array.isArray(returned.messages)) return { ...about, ...returned };
  const list = Array.isArray(returned) ? returned : [returned];
  return { ...about, messages: list.map(item => toMessage(item, what)) };
}

function toMessage(value: unknown, what: string): PromptMessage {
  if (typeof value === 'string') return { role: 'user', content: { type: 'text', text: value } };
  if (isBlock(value)) return { role: 'user', content: value };
  if (isObject(value) && (value.role === 'user' || value.role === 'assistant') && isBlock(value.content)) {
    return { role: value.role, content: value.content };
  }
  return nonsense(what);
}

function nonsense(what: string): never {
  throw new UsageError(
    `${what} returned something that is no prompt: return a string, a content block, ` +
      'a message { role, content }, or a list of these',
  );
}
