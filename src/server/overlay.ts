import type { Call } from '../protocol/call.js';

/** The same call with some members replaced. A call has private state, so it cannot be copied. */
export function overlay<T extends object>(call: Call, members: T): Call & T {
  const refuse = (_: Call, key: string | symbol): never => {
    throw new TypeError(`${String(key)} of a call is read-only`);
  };
  return new Proxy(call, {
    get(target, key) {
      if (Object.hasOwn(members, key)) return Reflect.get(members, key);
      const value = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: refuse,
    defineProperty: refuse,
    deleteProperty: refuse,
  }) as Call & T;
}
