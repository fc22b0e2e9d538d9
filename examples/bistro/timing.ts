import type { Middleware } from 'tenon';

/** Prints each request and its duration on standard error. */
export const timing: Middleware = async (call, next) => {
  const start = performance.now();
  try {
    return await next();
  } finally {
    const took = `${(performance.now() - start).toFixed(1)} ms`;
    console.error([call.revision, call.method, call.target, took].filter(Boolean).join('  '));
  }
};
