import type { JsonObject } from '../../base/json.js';
import { type Awaitable, andThen } from '../../base/settle.js';
import type { Call, Result } from '../../protocol/call.js';
import { invalidParams } from '../../protocol/errors.js';
import { OWN_RESULT } from '../../protocol/own-result.js';
import type { NotificationSender } from '../../protocol/service.js';
import { Context, useContext } from '../context/context.js';
import type { ExtensionHost } from '../extension.js';
import { checkFunction } from '../registry/registration.js';
import { readMeta } from '../registry/returned.js';
import { type CompiledSchema, compileSchema, type Infer, type Schema } from '../schema/schema.js';

/** A request that an extension answers. Made by `method`. */
export interface ExtensionMethod {
  readonly params: Schema;
  readonly handler: (params: never, ctx: Context) => Awaitable<object>;
}

/** A notification that an extension takes. Made by `notification`. */
export interface ExtensionNotification {
  readonly params: Schema;
  readonly handler: (params: never, from: NotificationSender) => Awaitable<void>;
}

/**
 * A request of clients that an extension answers. Its parameters are checked and typed by a schema; those that do not
 * fit are refused with `-32602`.
 *
 * @example
 * const find = method(z.object({ words: z.string() }), ({ words }) => ({ books: catalog.find(words) }));
 */
export function method<const S extends Schema>(
  params: S,
  handler: (params: Infer<S>, ctx: Context) => Awaitable<object>,
): ExtensionMethod {
  checkFunction(handler, 'the handler of a method');
  return { params, handler };
}

/**
 * A notification of clients that an extension takes. One whose parameters do not fit the schema is left out, because a
 * notification cannot be answered.
 *
 * @example
 * const opened = notification(z.object({ book: z.string() }), ({ book }) => popularity.count(book));
 */
export function notification<const S extends Schema>(
  params: S,
  handler: (params: Infer<S>, from: NotificationSender) => Awaitable<void>,
): ExtensionNotification {
  checkFunction(handler, 'the handler of a notification');
  return { params, handler };
}

/** The handler of a method for the server core. */
export function compileMethod(
  name: string,
  { params, handler }: ExtensionMethod,
  report: ExtensionHost['report'],
): (call: Call) => Awaitable<Result> {
  const who = `method "${name}"`;
  const schema = compileSchema(params, `the parameters of ${who}`, 'input', report);
  return call =>
    andThen(readParams(call.params, schema, name), async checked => {
      const run = (context: Context) => handler(checked as never, context);
      const result = await useContext(new Context(call), { who, report }, run);
      const { _meta } = result as { _meta?: unknown };
      return _meta === undefined || OWN_RESULT in result
        ? result
        : { ...result, _meta: readMeta(_meta, who) };
    });
}

/** The handler of a notification for the server core. */
export function compileNotification(
  name: string,
  { params, handler }: ExtensionNotification,
  report: ExtensionHost['report'],
): (params: JsonObject, from: NotificationSender) => Promise<void> {
  const what = `the parameters of notification "${name}"`;
  const schema = compileSchema(params, what, 'input', report);
  return async (given, from) => {
    const checked = await schema.check(withoutMeta(given));
    if ('value' in checked) await handler(checked.value as never, from);
  };
}

function readParams(params: JsonObject, schema: CompiledSchema, name: string): Awaitable<unknown> {
  return andThen(schema.check(withoutMeta(params)), checked => {
    if ('problem' in checked) throw invalidParams(`invalid parameters of ${name}: ${checked.problem}`);
    return checked.value;
  });
}

/** The schema of an extension describes its own members; the envelope in `_meta` belongs to the protocol. */
function withoutMeta({ _meta, ...params }: JsonObject): JsonObject {
  return params;
}
