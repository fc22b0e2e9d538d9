import type { Middleware } from 'tenon';

/** Says on standard error what each request was about and how long it took. */
export const timing: Middleware = async (call, next) => {
  const start = performance.now();
  try {
    return await next();
  } finally {
    const took = `${(performance.now() - start).toFixed(1)} ms`;
    console.error([call.revision, call.method, call.target, took].filter(Boolean).join('  '));
  }
};
