/** What must never reach a client unless the author said so. */
export const SECRET = 'the password is hunter2';

/** An object that fails whenever somebody wants to know what it is. */
export const hostile = {
  get message(): string {
    throw new Error(SECRET);
  },
  toString(): string {
    throw new Error(SECRET);
  },
  get [Symbol.toStringTag](): string {
    throw new Error(SECRET);
  },
};

/** An error that does the same. */
export class HostileError extends Error {
  override get message(): string {
    throw new Error(SECRET);
  }
  override get stack(): string {
    throw new Error(SECRET);
  }
  override toString(): string {
    throw new Error(SECRET);
  }
}

/** An object whose members cannot be read, asked for, or listed. */
export function refusingProxy(): object {
  const refuse = () => {
    throw new Error(SECRET);
  };
  return new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse });
}

/** An error that is its own cause. */
export function cyclicError(): Error {
  const error = new Error(SECRET);
  error.cause = error;
  return error;
}
