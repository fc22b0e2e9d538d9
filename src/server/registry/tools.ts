import { defined } from '../../base/defined.js';
import { UsageError } from '../../base/errors.js';
import { isObject, type JsonObject, type JsonSchema, quoteBriefly } from '../../base/json.js';
import { checkSpelling, type OptionNames } from '../../base/options.js';
import { type Awaitable, andThen, settle } from '../../base/settle.js';
import type { Call } from '../../protocol/call.js';
import type { ContentBlock, Icon } from '../../protocol/content.js';
import { invalidArguments, invalidParams } from '../../protocol/errors.js';
import type { InputRequiredResult } from '../../protocol/input.js';
import { type ParameterHeader, readParameterHeaders } from '../../protocol/parameter-headers.js';
import type { TaskMode } from '../../protocol/task.js';
import type { CallToolResult, Tool, ToolAnnotations, ToolFailure } from '../../protocol/tools.js';
import { Context } from '../context/context.js';
import {
  type CompiledSchema,
  compileOutput,
  compileSchema,
  type Infer,
  type InferInput,
  type Schema,
} from '../schema/schema.js';
import { ACCESS_OPTIONS, type AccessOptions, compileAccess } from './access.js';
import type { ErrorPolicy } from './error-policy.js';
import { checkRegistration, checkTypesOf } from './registration.js';
import type { Entry, Handle } from './registry.js';
import { toErrorResult, toResult } from './tool-result.js';

/** The options of a tool. */
export interface ToolOptions<I extends Schema | undefined, O extends Schema | undefined>
  extends AccessOptions {
  title?: string | undefined;
  description?: string | undefined;
  /** The arguments. They are checked before the handler runs, and typed for it. */
  input?: I | undefined;
  /** The schema of the handler's result, which becomes `structuredContent`, checked and typed. */
  output?: O | undefined;
  annotations?: ToolAnnotations | undefined;
  icons?: Icon[] | undefined;
  meta?: JsonObject | undefined;
  /** The page that hosts show for the tool: `app('./chart.html')` of `tenon/apps`. */
  ui?: ToolUi | undefined;
  /** Refuses a `requestState` that was used already, so that nothing can be confirmed twice. */
  refuseReplays?: boolean | undefined;
  /** Whether calls become tasks, if the server has the extension `tasks` of `tenon/tasks`. */
  task?: TaskMode | undefined;
}

/** The key under which an app exposes itself to the server whose tool has it. */
export const SHOW_UI: unique symbol = Symbol.for('tenon.ui');

/** What hosts show for a tool, made by `app` or `visibleTo` of `tenon/apps`. The value brings its code with it. */
export interface ToolUi {
  /**
   * Adds to a server what the tool needs, and to the server's options the extension. Returns the tool's without `ui`.
   * @internal
   */
  readonly [SHOW_UI]: <T extends { ui?: unknown }>(
    server: object,
    tool: string,
    options: T,
    ownOptions: object,
  ) => T;
}

/** Does the work of a tool: gets the arguments, checked and typed by `input`, and the context of the call. */
export type ToolHandler<I extends Schema | undefined, O extends Schema | undefined> = (
  args: I extends Schema ? Infer<I> : Record<string, unknown>,
  ctx: Context,
) => ToolReturn<O> | Promise<ToolReturn<O>>;

/**
 * The handler of a tool with `output`. It says the same as `ToolHandler` does, but without a condition on the type that is
 * to be inferred: the compiler would widen `type: 'text'` in a full result to string.
 */
export type OutputHandler<I extends Schema | undefined, O extends Schema> = (
  args: I extends Schema ? Infer<I> : Record<string, unknown>,
  ctx: Context,
) => OutputReturn<O> | Promise<OutputReturn<O>>;

type OutputReturn<O extends Schema> =
  | InferInput<O>
  | FullToolResult<InferInput<O>>
  | ToolFailure
  | InputRequiredResult;

/** The return type of a handler: its typed output, or without one text, a block, a list of them, or a full result. */
export type ToolReturn<O extends Schema | undefined> =
  | (O extends Schema ? OutputReturn<O> : LooseReturn | CallToolResult)
  | InputRequiredResult;

type LooseReturn =
  | string
  | number
  | boolean
  | null
  | undefined
  | void
  | ContentBlock
  | readonly (ContentBlock | string)[];

/** A result with all its parts; missing parts are filled in. */
export interface FullToolResult<T> {
  structuredContent: T;
  content?: ContentBlock[];
  isError?: boolean;
  _meta?: JsonObject;
}

/** The arguments and output of a tool, as a client sees them. */
interface ToolType {
  name: string;
  args: unknown;
  output: unknown;
}

interface Typed {
  /** Exists only in types, never as a value: see `ToolsOf`. */
  readonly '~type': ToolType;
}

/**
 * The tools of some handles by name, for a client that is written beside its server.
 *
 * @example
 * export const reserve = server.tool('reserve', { input, output }, handler);
 * // elsewhere
 * const client = await connect<ToolsOf<typeof reserve>>(url);
 */
export type ToolsOf<Handles extends Typed | Readonly<Record<string, Typed>>> = {
  [T in TypeOf<Handles> as T['name']]: { args: T['args']; output: T['output'] };
};

/** Takes one handle, a union of them, or an object of them. */
type TypeOf<Handles> = Handles extends Typed
  ? Handles['~type']
  : Handles extends Readonly<Record<string, Typed>>
    ? Handles[keyof Handles]['~type']
    : never;

/** A registered tool. */
export interface ToolHandle<N extends string = string, I = unknown, O = unknown> extends Handle, Typed {
  readonly '~type': {
    name: N;
    args: I extends Schema ? InferInput<I> : Record<string, never> | undefined;
    output: O extends Schema ? Infer<O> : unknown;
  };
  /** Replaces the tool, at once and for all clients. */
  replace<const I extends Schema | undefined = undefined>(
    options: ToolOptions<I, undefined>,
    handler: ToolHandler<I, undefined>,
  ): void;
  replace<const O extends Schema, const I extends Schema | undefined = undefined>(
    options: ToolOptions<I, O> & { output: O },
    handler: OutputHandler<I, O>,
  ): void;
}

export interface ToolEntry extends Entry {
  readonly listing: Tool;
  readonly headers: readonly ParameterHeader[];
  readonly task: TaskMode | undefined;
  run(call: Call): Awaitable<object>;
}

type AnyHandler = (args: never, ctx: Context) => unknown;

const TOOL_OPTIONS: OptionNames<ToolOptions<undefined, undefined>> = {
  title: 1,
  description: 1,
  input: 1,
  output: 1,
  annotations: 1,
  icons: 1,
  meta: 1,
  ui: 1,
  refuseReplays: 1,
  task: 1,
  ...ACCESS_OPTIONS,
};

const HINTS = [
  'readOnlyHint',
  'destructiveHint',
  'idempotentHint',
  'openWorldHint',
] satisfies (keyof ToolAnnotations)[];

/** The names that the specification allows for tools. */
const TOOL_NAME = /^[\w.-]{1,128}$/;

// OpenAI refuses a function without `properties`, and many hosts pass schemas on as they are.
const NO_ARGUMENTS: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };

/** Compiles a tool. `refuse` is called later if a JSON Schema is found to be invalid. */
export function compileTool(
  name: string,
  options: ToolOptions<Schema | undefined, Schema | undefined>,
  handler: AnyHandler,
  errors: ErrorPolicy,
  refuse: ErrorPolicy['report'],
): ToolEntry {
  const what = `tool "${name}"`;
  const usage = `server.tool("${name}", { … }, handler)`;
  checkRegistration({ what, usage, options, handler, known: TOOL_OPTIONS });
  const annotations = `the annotations of ${what}`;
  checkTypesOf(options.annotations, ['title'], 'string', annotations);
  checkTypesOf(options.annotations, HINTS, 'boolean', annotations);
  if (options.annotations) checkSpelling(options.annotations, ['title', ...HINTS], what);
  // An app has taken itself out of the options by now.
  if (options.ui !== undefined) throw new UsageError(`ui of ${what} must be an app of tenon/apps`);
  const input = options.input && compileSchema(options.input, `the input of ${what}`, 'input', refuse);
  const output = options.output && compileOutput(options.output, `the output of ${what}`, refuse);
  const inputSchema = input ? objectSchema(input.json, what) : NO_ARGUMENTS;
  const headers = readParameterHeaders(inputSchema);
  if (typeof headers === 'string') throw new UsageError(`the input of ${what}: ${headers}`);
  const handling = { who: what, report: errors.report };

  return {
    listing: defined({
      name,
      title: options.title,
      description: options.description,
      inputSchema,
      outputSchema: output?.json,
      annotations: options.annotations,
      icons: options.icons,
      _meta: options.meta,
    }),
    access: compileAccess(options, what),
    headers,
    task: options.task,
    run(call) {
      return andThen(readArguments(call.params, input, what), args => {
        const context = new Context(call);
        return settle(
          () => {
            const run = () => (call.instead ? call.instead() : handler(args as never, context));
            return options.refuseReplays ? call.redeem().then(run) : run();
          },
          returned => {
            Context.end(context, handling);
            return toResult(call, returned, output, what);
          },
          thrown => {
            Context.end(context, handling, thrown);
            return toErrorResult(thrown, what, errors, call);
          },
        );
      });
    },
  };
}

/**
 * The reason why some clients may refuse the name of a tool; undefined if none should.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names
 */
export function toolNameProblem(name: string): string | undefined {
  if (TOOL_NAME.test(name)) return undefined;
  return `clients may refuse the name "${name}": use up to 128 letters, digits, "_", "-" and "."`;
}

function readArguments(
  params: JsonObject,
  input: CompiledSchema | undefined,
  what: string,
): Awaitable<unknown> {
  const args = params.arguments ?? {};
  if (!isObject(args)) throw invalidParams('arguments must be an object');
  if (!input) {
    const [unwanted] = Object.keys(args);
    if (unwanted === undefined) return args;
    throw invalidArguments(`${what} takes no arguments, but was called with ${quoteBriefly(unwanted)}`);
  }
  return andThen(input.check(args), checked => {
    if ('problem' in checked) throw invalidArguments(`invalid arguments for ${what}: ${checked.problem}`);
    return checked.value;
  });
}

/** The root of a tool's input is always an object, but schemas such as unions do not contain `type: "object"`. */
function objectSchema(json: JsonSchema, what: string): JsonSchema {
  if (json.type === 'object') return json;
  if (json.type === undefined) return { type: 'object', ...json };
  throw new UsageError(`the input of ${what} must be an object schema, not ${JSON.stringify(json.type)}`);
}
