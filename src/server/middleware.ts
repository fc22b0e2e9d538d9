import type { JsonObject } from '../base/json.js';
import type { Awaitable } from '../base/settle.js';
import { type Call, type Result, targetOf } from '../protocol/call.js';
import type { Caller } from '../protocol/caller.js';

/** A call with the additions for middleware. */
export interface MiddlewareCall extends Call {
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly target: string | undefined;
  readonly principal: string | undefined;
}

/** Continues with the call, with other parameters if given. */
export type Next = (changes?: { params?: JsonObject }) => Promise<Result>;

/**
 * Runs around every request: it may throw to refuse it, change its parameters or its result, time it, log it.
 *
 * @example
 * server.use(async (call, next) => {
 *   const start = performance.now();
 *   try {
 *     return await next();
 *   } finally {
 *     console.error(call.method, call.target, call.revision, performance.now() - start);
 *   }
 * });
 */
export type Middleware = (call: MiddlewareCall, next: Next) => Promise<Result>;

/** Runs a call through all middleware, outermost first, and then through `handle`. */
export function runMiddleware(
  middleware: readonly Middleware[],
  call: Call,
  handle: (call: Call) => Awaitable<Result>,
): Promise<Result> {
  const run = async (index: number, current: Call): Promise<Result> => {
    const layer = middleware[index];
    if (!layer) return handle(current);
    return layer(forMiddleware(current), changes => run(index + 1, withChanges(current, changes)));
  };
  return run(0, call);
}

function forMiddleware(call: Call): MiddlewareCall {
  return overlay(call, {
    target: targetOf(call.method, call.params),
    principal: (call.caller as Caller | undefined)?.principal,
  });
}

function withChanges(call: Call, changes: { params?: JsonObject } | undefined): Call {
  return changes?.params ? overlay(call, { params: changes.params }) : call;
}

/** The same call with some members replaced. A call has private state, so it cannot be copied. */
function overlay<T extends object>(call: Call, members: T): Call & T {
  return new Proxy(call, {
    get(target, key) {
      if (Object.hasOwn(members, key)) return Reflect.get(members, key);
      const value = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  }) as Call & T;
}
