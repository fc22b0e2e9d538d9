import { clip } from '../../base/clip.js';
import { UsageError } from '../../base/errors.js';
import { isCount, isObject, type JsonObject } from '../../base/json.js';
import type { Awaitable } from '../../base/settle.js';
import type { Call, Result } from '../../protocol/call.js';
import {
  type CompleteResult,
  type CompletionReference,
  type CompletionRequest,
  MAX_COMPLETIONS,
} from '../../protocol/completion.js';
import { invalidParams } from '../../protocol/errors.js';
import { readUriOrTemplate } from '../../protocol/resource-uri.js';
import type { Permissions } from './permissions.js';
import type { PromptEntry } from './prompts.js';
import type { Registries } from './registries.js';
import type { ResourceEntry } from './resources.js';

/**
 * Suggests values for one argument: a list of all values, of which those that begin with the typed text are offered,
 * or a function of the typed text and the arguments already chosen.
 */
export type Completer =
  | readonly string[]
  | ((typed: string, chosen: Readonly<Record<string, string>>) => Awaitable<Suggestions>);

/** All matching values, best first; or a part of them with the total number. */
export type Suggestions =
  | readonly string[]
  | { values: readonly string[]; total?: number; hasMore?: boolean };

/** Completers by the name of the argument. */
export type Completers<A = Record<string, unknown>> = { readonly [K in keyof A & string]?: Completer };

/** Answers a request for suggestions. */
export function complete(
  { prompts, resources, templates }: Registries,
  permissions: Permissions,
  call: Call,
): Awaitable<Result> {
  const request = readCompletionRequest(call.params);
  const { ref } = request;
  const isPrompt = ref.type === 'ref/prompt';
  const target = isPrompt ? ref.name : ref.uri;
  const entry = isPrompt ? prompts.get(target) : (templates.get(target) ?? resources.get(target));
  const unknown = () =>
    invalidParams(`unknown ${isPrompt ? 'prompt' : 'resource template'}: ${clip(target)}`);
  if (!entry) throw unknown();
  return permissions.use(entry, target, call, unknown, () => suggest(entry, request));
}

function readCompletionRequest(params: JsonObject): CompletionRequest {
  const { ref, argument, context } = params;
  if (!isObject(argument) || typeof argument.name !== 'string' || typeof argument.value !== 'string') {
    throw invalidParams('argument must have a name and a value');
  }
  return {
    ref: readReference(ref),
    argument: { name: argument.name, value: argument.value },
    arguments: readChosen(context),
  };
}

function readChosen(context: unknown): Record<string, string> {
  if (context === undefined) return {};
  const chosen = isObject(context) ? (context.arguments ?? {}) : undefined;
  if (!isObject(chosen) || !Object.values(chosen).every(value => typeof value === 'string'))
    throw invalidParams('context must be { arguments } with the texts that were chosen');
  return chosen as Record<string, string>;
}

/**
 * Runs the completer of an argument. An argument without a completer has no suggestions, which is not an error; one that
 * does not exist is.
 */
async function suggest(
  entry: PromptEntry | ResourceEntry,
  request: CompletionRequest,
): Promise<CompleteResult> {
  const { complete: completers } = entry;
  const { name, value } = request.argument;
  const completer = completers && Object.hasOwn(completers, name) ? completers[name] : undefined;
  if (!completer && !(argumentsOf(entry)?.includes(name) ?? true))
    throw invalidParams(`unknown argument: ${clip(name)}`);
  if (!completer) return { completion: { values: [], total: 0, hasMore: false } };
  const suggested =
    typeof completer === 'function'
      ? await completer(value, request.arguments)
      : beginningWith(completer, value);
  const { values, total, hasMore } = Array.isArray(suggested)
    ? { values: suggested, total: suggested.length, hasMore: undefined }
    : ((suggested ?? {}) as Exclude<Suggestions, readonly string[]>);
  checkSuggestions(values, total, name);
  return {
    completion: {
      values: values.slice(0, MAX_COMPLETIONS),
      ...(total !== undefined && { total }),
      hasMore: values.length > MAX_COMPLETIONS || Boolean(hasMore ?? (total ?? 0) > values.length),
    },
  };
}

/** The names of the arguments of a prompt, or of the variables of a template; undefined for a fixed resource. */
function argumentsOf(entry: PromptEntry | ResourceEntry): readonly string[] | undefined {
  if ('template' in entry) return entry.template?.variables;
  return entry.listing.arguments?.map(({ name }) => name) ?? [];
}

function checkSuggestions(values: unknown, total: unknown, name: string): void {
  const areTexts = Array.isArray(values) && values.every(value => typeof value === 'string');
  if (areTexts && (total === undefined || isCount(total))) return;
  throw new UsageError(
    `the completer of "${name}" must return a list of texts, or { values, total } with a whole number as total`,
  );
}

function beginningWith(values: readonly string[], typed: string): string[] {
  return values.filter(value => `${value}`.toLowerCase().startsWith(typed.toLowerCase()));
}

function readReference(ref: unknown): CompletionReference {
  if (isObject(ref) && ref.type === 'ref/prompt' && typeof ref.name === 'string') {
    return { type: 'ref/prompt', name: ref.name };
  }
  if (isObject(ref) && ref.type === 'ref/resource' && typeof ref.uri === 'string') {
    return { type: 'ref/resource', uri: readUriOrTemplate(ref.uri) };
  }
  throw invalidParams('ref must be { type: "ref/prompt", name } or { type: "ref/resource", uri }');
}
