import type { Call } from '../protocol/call.js';

const refuse = (_: object, key: string | symbol): never => {
  throw new TypeError(`${String(key)} of a call is read-only`);
};

/** The traps of a call that cannot be changed. */
export const READ_ONLY = { set: refuse, defineProperty: refuse, deleteProperty: refuse };

/** The same call with some members replaced. A call has private state, so it cannot be copied. */
export function overlay<T extends object>(call: Call, members: T): Call & T {
  return new Proxy(call, {
    get(target, key) {
      if (Object.hasOwn(members, key)) return Reflect.get(members, key);
      const value = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    ...READ_ONLY,
  }) as Call & T;
}
