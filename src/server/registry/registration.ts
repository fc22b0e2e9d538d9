import { UsageError } from '../../base/errors.js';
import { isObject, quoteBriefly } from '../../base/json.js';
import { checkOptions, type OptionKind } from '../../base/options.js';
import { iconsProblem } from '../../protocol/icons.js';
import { isMetaKey, mayAttachUnder } from '../../protocol/meta-key.js';

/** The arguments of a registration, as the author wrote them. */
interface Registration {
  /** The entry's name in messages, such as `tool "reserve"`. */
  readonly what: string;
  /** An example of a correct registration. */
  readonly usage: string;
  readonly options: unknown;
  readonly handler: unknown;
  readonly known: Readonly<Record<string, OptionKind>>;
}

const TEXTS = ['name', 'title', 'description', 'mimeType'];

/** Throws if the arguments of a registration are wrong. The compiler finds that, too, but not in JavaScript. */
export function checkRegistration({ what, usage, options, handler, known }: Registration): void {
  if (!isObject(options)) throw new UsageError(`${what} needs an object of options: ${usage}`);
  if (typeof handler !== 'function') throw new UsageError(`${what} needs a handler: ${usage}`);
  checkOptions(options, known, what);
  checkTypesOf(options, TEXTS, 'string', what);
  checkIcons(options.icons, what);
  if (options.meta !== undefined) checkMeta(options.meta, what);
}

/** Throws unless a value is an object, or undefined, and those of the members that are set have this type. */
export function checkTypesOf(
  value: unknown,
  names: readonly string[],
  type: 'string' | 'boolean',
  what: string,
): void {
  if (value === undefined) return;
  if (!isObject(value)) throw new UsageError(`${what} must be an object, not ${quoteBriefly(value)}`);
  const wrong = names.find(name => value[name] !== undefined && typeof value[name] !== type);
  if (wrong === undefined) return;
  const expected = type === 'string' ? 'a text' : 'true or false';
  throw new UsageError(`the ${wrong} of ${what} must be ${expected}, not ${quoteBriefly(value[wrong])}`);
}

/** Throws if a name is empty or not a string. */
export function checkName(name: unknown, kind: string): void {
  if (typeof name !== 'string' || name === '') {
    throw new UsageError(`a ${kind} needs a name: server.${kind}("name", { … }, handler)`);
  }
}

export function checkIcons(icons: unknown, what: string): void {
  const problem = iconsProblem(icons);
  if (problem) throw new UsageError(`${what} has ${problem}`);
}

export function checkFunction(value: unknown, what: string): void {
  if (typeof value !== 'function') throw new UsageError(`${what} must be a function`);
}

/** Throws unless there are only completers, each for one of these arguments or variables. */
export function checkCompleters(completers: unknown, names: readonly string[], what: string): void {
  if (completers === undefined) return;
  const known = Object.fromEntries(names.map(name => [name, 1] as const));
  checkOptions(completers, known, `complete of ${what}`);
  for (const [name, completer] of Object.entries(completers as object)) {
    if (completer !== undefined && !Array.isArray(completer) && typeof completer !== 'function')
      throw new UsageError(`${name} of complete of ${what} must be a list of texts or a function`);
  }
}

function checkMeta(meta: unknown, what: string): void {
  if (!isObject(meta)) throw new UsageError(`the meta of ${what} must be an object`);
  const key = Object.keys(meta).find(name => !mayAttachUnder('second-label', name));
  if (key === undefined) return;
  const problem = isMetaKey(key) ? 'belongs to the protocol' : 'is malformed';
  throw new UsageError(`the key "${key}" in the meta of ${what} ${problem}; use your own: com.example/table`);
}

/** A handler returned a value that cannot be sent. */
export function invalidReturn(what: string, expected: string, instead: string): UsageError {
  return new UsageError(`${what} returned something that is not ${expected}: return ${instead}`);
}
