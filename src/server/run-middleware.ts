import { UsageError } from '../base/errors.js';
import type { JsonObject, JsonSchema } from '../base/json.js';
import type { Awaitable } from '../base/settle.js';
import { type Call, type Result, targetOf } from '../protocol/call.js';
import type { Caller } from '../protocol/caller.js';
import type { InputRequest, InputResponse } from '../protocol/input.js';
import { isShared } from '../protocol/shared-result.js';
import type {
  MiddlewareCall,
  MiddlewareQuestion,
  MiddlewareStack,
  Named,
  QuestionMiddleware,
} from './middleware.js';
import { overlay } from './overlay.js';
import { checkResult } from './registry/result-check.js';

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
  let made: { structuredContent?: unknown } | undefined;
  const result = await runRequest(stack, observed(stack, call), async current => {
    made = await handle(current);
    return made;
  });
  // Results that are shared between requests were not made by middleware, and are not checked again.
  if (isShared(result)) return result;
  const { structuredContent } = (result ?? {}) as { structuredContent?: unknown };
  const isOther = !made || made.structuredContent !== structuredContent;
  const schema = call.method === 'tools/call' && isOther ? outputSchemaOf(call.params.name) : undefined;
  return checkResult(call.method, result, schema);
}

/** Asks a question through the middleware. */
export function runQuestion(
  layers: readonly Named<QuestionMiddleware>[],
  asked: MiddlewareQuestion,
  ask: (question: InputRequest) => Promise<InputResponse>,
): Promise<InputResponse> {
  const run = (at: number, current: MiddlewareQuestion): Promise<InputResponse> => {
    const layer = layers[at];
    if (!layer) return ask(current.question);
    return guarded(layer.name, current.question.method, next =>
      layer.run(current, changes => next(() => run(at + 1, { ...current, ...changes }))),
    );
  };
  return run(0, asked);
}

function runRequest(
  stack: MiddlewareStack,
  call: Call,
  handle: (call: Call) => Awaitable<Result>,
): Promise<Result> {
  const run = async (at: number, current: Call): Promise<Result> => {
    const layer = stack.request[at];
    if (!layer) return handle(current);
    return guarded(layer.name, current.method, next =>
      layer.run(forMiddleware(current), changes => {
        const changed = changes?.fresh ? observed(stack, changes.fresh) : withChanges(current, changes);
        return next(() => run(at + 1, changed));
      }),
    );
  };
  return run(0, call);
}

/** Runs one layer. Its mistakes become errors that name it. */
async function guarded<T>(
  name: string,
  method: string,
  run: (next: (proceed: () => Promise<T>) => Promise<T>) => Promise<T>,
): Promise<T> {
  const who = `middleware "${name}"`;
  let calls = 0;
  const next = (proceed: () => Promise<T>): Promise<T> => {
    if (++calls > 1) return Promise.reject(new UsageError(`${who} called next twice for ${method}`));
    return proceed();
  };
  try {
    const outcome = await run(next);
    if (outcome === undefined) {
      const instead = calls > 0 ? 'return what next resolves to' : 'call next, or answer with a result';
      throw new UsageError(
        `${who} returned nothing for ${method}, so the result is not an object: ${instead}`,
      );
    }
    return outcome;
  } catch (thrown) {
    if (!isFrozen(thrown)) throw thrown;
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
  const { client, session } = call;
  const peer = { client, session, caller: call.caller };
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

function forMiddleware(call: Call): MiddlewareCall {
  return overlay(call, {
    params: Object.freeze(call.params),
    target: targetOf(call.method, call.params),
    principal: (call.caller as Caller | undefined)?.principal,
  });
}

function withChanges(call: Call, changes: { params?: JsonObject; call?: Call } = {}): Call {
  const { params, call: other = call } = changes;
  return params ? overlay(other, { params }) : other;
}
