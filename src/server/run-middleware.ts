import { UsageError } from '../base/errors.js';
import { isObject, type JsonObject, type JsonSchema } from '../base/json.js';
import type { Awaitable } from '../base/settle.js';
import { readOnly, Views } from '../base/views.js';
import { type Call, type Result, targetOf } from '../protocol/call.js';
import { extensionSettings } from '../protocol/capabilities.js';
import type { InputRequest, InputResponse } from '../protocol/input.js';
import { checkAsked } from '../protocol/may-ask.js';
import { isShared } from '../protocol/shared-result.js';
import {
  type CallChanges,
  type CallReplacements,
  type MiddlewareCall,
  type MiddlewareQuestion,
  type MiddlewareStack,
  type Named,
  type QuestionMiddleware,
  withChange,
} from './middleware.js';
import { overlay, READ_ONLY } from './overlay.js';
import { checkResult } from './registry/result-check.js';

/** The members of a call that middleware can replace. */
const REPLACEABLE: Readonly<Record<keyof CallReplacements, 1>> = {
  meta: 1,
  session: 1,
  isStateless: 1,
  signal: 1,
  logLevel: 1,
  notify: 1,
  objectionTo: 1,
  ask: 1,
  inputResponses: 1,
  requestState: 1,
  step: 1,
  once: 1,
  redeem: 1,
  ping: 1,
  closeStream: 1,
  warn: 1,
  task: 1,
  instead: 1,
};

/** Results that requests share are always the same, so one view of each is enough. */
const SHARED = new Views();

/**
 * Runs a call through the middleware of a server, outermost first, and then through `handle`. `outputSchemaOf` is for
 * the check of structured content that middleware made or changed.
 */
export async function runMiddleware(
  stack: MiddlewareStack,
  call: Call,
  handle: (call: Call) => Awaitable<Result>,
  outputSchemaOf: (tool: unknown) => JsonSchema | undefined,
): Promise<Result> {
  const views = new Views();
  let made: { structuredContent?: unknown; protocolVersion?: unknown } | undefined;
  const result = await runRequest(stack, call, views, async current => {
    made = await handle(current);
    return made;
  });
  if (call.method === 'initialize') checkNegotiated(made, result);
  // Results that are shared between requests were not made by middleware, and are not checked again.
  if (isShared(result)) return result;
  if (call.method !== 'tools/call') return checkResult(call.method, result, undefined);
  const { structuredContent } = (result ?? {}) as { structuredContent?: unknown };
  const isOther =
    !made || [made, views.of(made)].every(known => known.structuredContent !== structuredContent);
  return checkResult(call.method, result, isOther ? outputSchemaOf(call.params.name) : undefined);
}

/** Throws if the answer to `initialize` names another revision than that of the session. */
function checkNegotiated(made: { protocolVersion?: unknown } | undefined, result: Result): void {
  if (!made)
    throw new UsageError(
      'middleware answered initialize without calling next, but only the server can negotiate: call next, or throw',
    );
  if ((result as typeof made).protocolVersion !== made.protocolVersion)
    throw new UsageError(
      'the result of initialize that middleware returned has another protocolVersion than the session: pass the one ' +
        'to negotiate to next, in params',
    );
}

/** Asks a question through the middleware. */
export function runQuestion(
  layers: readonly Named<QuestionMiddleware>[],
  asked: MiddlewareQuestion,
  ask: (question: InputRequest) => Promise<InputResponse>,
): Promise<InputResponse> {
  const views = new Views();
  const run = (at: number, current: MiddlewareQuestion): Promise<InputResponse> => {
    const layer = layers[at];
    if (!layer) return ask(current.question);
    return guarded(layer.name, current.question.method, views, next =>
      layer.run(views.of(current), changes => next(who => run(at + 1, withQuestion(current, changes, who)))),
    );
  };
  return run(0, asked);
}

function withQuestion(
  asked: MiddlewareQuestion,
  changes: { question?: InputRequest } | undefined,
  who: string,
): MiddlewareQuestion {
  const changed = withChange(asked, 'question', changes, who);
  const { method, params } = changed.question;
  if (typeof method === 'string' && (isObject(params) || params === asked.question.params)) return changed;
  throw new UsageError(`${who} must pass a question with a method and params to next`);
}

function runRequest(
  stack: MiddlewareStack,
  given: Call,
  views: Views,
  handle: (call: Call) => Awaitable<Result>,
): Promise<Result> {
  const run = async (at: number, current: Call): Promise<Result> => {
    const call = observed(stack, current);
    const layer = stack.request[at];
    if (!layer) return handle(call);
    return guarded(layer.name, current.method, views, async next => {
      let below: Result | undefined;
      const returned = await layer.run(forMiddleware(call, views), async changes => {
        below = await next(who => run(at + 1, withChanges(current, changes, views, who)));
        return below;
      });
      checkAsked(`middleware "${layer.name}"`, current.method, returned, below);
      return returned;
    });
  };
  return run(0, given);
}

/** Runs one layer, which sees a copy of the outcome. Its mistakes become errors that name it. */
async function guarded<T>(
  name: string,
  method: string,
  views: Views,
  run: (next: (proceed: (who: string) => Promise<T>) => Promise<T>) => Promise<T>,
): Promise<T> {
  const who = `middleware "${name}"`;
  let calls = 0;
  let inside: unknown;
  const next = async (proceed: (who: string) => Promise<T>): Promise<T> => {
    if (++calls > 1) throw new UsageError(`${who} called next twice for ${method}`);
    const outcome = await proceed(who).catch(thrown => {
      inside = thrown;
      throw thrown;
    });
    return (isShared(outcome as object) ? SHARED : views).of(outcome);
  };
  try {
    const outcome = await run(next);
    if (outcome === undefined) {
      const instead = calls > 0 ? 'return what next resolves to' : 'call next, or answer with a result';
      throw new UsageError(
        `${who} returned nothing for ${method}, so the result is not an object: ${instead}`,
      );
    }
    return SHARED.behind(views.behind(outcome));
  } catch (thrown) {
    // A mistake further inside is not one of this layer.
    if (thrown === inside || !isFrozen(thrown)) throw thrown;
    const instead = 'pass changes to next, and return a copy of a result';
    throw new UsageError(`${who} changed a message of ${method} in place: ${instead}`, { cause: thrown });
  }
}

/** Whether an error says that a frozen object cannot be changed. */
function isFrozen(thrown: unknown): boolean {
  return thrown instanceof TypeError && /read.?only|not extensible|delete property/i.test(thrown.message);
}

/** The call with its questions and notifications running through middleware. */
function observed(stack: MiddlewareStack, call: Call): Call {
  const { question, send } = stack;
  if (question.length + send.length === 0) return call;
  const { client, session, caller } = call;
  const peer = { client, session, caller };
  return overlay(call, {
    ...(question.length > 0 && {
      ask: (request: InputRequest, options: object) =>
        runQuestion(question, { ...peer, question: request }, changed => call.ask(changed, options)),
    }),
    ...(send.length > 0 && {
      notify: (method: string, params: JsonObject) => {
        const passed = stack.passNotification('send', { ...peer, method, params });
        if (passed) call.notify(method, passed);
      },
    }),
  });
}

/** The members of a call that middleware sees as they are. */
const VISIBLE: Readonly<Record<string, 1>> = { ...REPLACEABLE, method: 1, revision: 1 };

/**
 * The call as middleware sees it: the members that it is said to have and no others, because those of the server itself
 * belong to all calls. What most middleware does not read is not copied.
 */
function forMiddleware(call: Call, views: Views): MiddlewareCall {
  const own = {
    get params() {
      return views.of(call.params);
    },
    get meta() {
      return views.of(call.meta);
    },
    get client() {
      return readOnly(call.client);
    },
    get caller() {
      return views.of(call.caller);
    },
    get inputResponses() {
      return call.inputResponses && new Map(readOnly([...call.inputResponses]));
    },
    target: targetOf(call.method, call.params),
    principal: call.caller?.principal,
    extension: (id: string) => readOnly(extensionSettings(call.client.capabilities, id)),
  };
  const refuse = (): never => {
    throw new TypeError('a call is read-only');
  };
  return new Proxy(own, {
    get(_, key) {
      if (Object.hasOwn(own, key)) return Reflect.get(own, key);
      if (typeof key !== 'string' || !Object.hasOwn(VISIBLE, key)) return undefined;
      const value: unknown = Reflect.get(call, key);
      return typeof value === 'function' ? value.bind(call) : value;
    },
    has: (_, key) => Object.hasOwn(own, key) || Object.hasOwn(VISIBLE, key),
    ...READ_ONLY,
    setPrototypeOf: refuse,
    preventExtensions: refuse,
  }) as unknown as MiddlewareCall;
}

function withChanges(call: Call, changes: CallChanges | undefined, views: Views, who: string): Call {
  const { params } = withChange({ params: call.params }, 'params', changes, who);
  const changed = params === call.params ? call : overlay(call, { params });
  const { replace } = changes ?? {};
  if (replace !== undefined && typeof replace !== 'function')
    throw new UsageError(`${who} must pass a function as replace to next`);
  const members = replace?.(forMiddleware(changed, views));
  return members ? overlay(changed, replacementsIn(members)) : changed;
}

/** The members that take the place of those of a call. Their functions may use `this`. */
function replacementsIn(members: CallReplacements): object {
  const own = {};
  for (const name of Object.keys(REPLACEABLE) as (keyof CallReplacements)[]) {
    if (!(name in members)) continue;
    const get = () => {
      const member: unknown = members[name];
      return typeof member === 'function' ? member.bind(members) : member;
    };
    Object.defineProperty(own, name, { get });
  }
  return own;
}
