// The conformance CLI imports `globSync` from 'fs', which Node has only since 22. `node --import` this file
// and older versions start it too: the one command that calls the function (tier-check) still fails there.
import fs from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const shim = `
  import fs from 'node:fs';
  export * from 'node:fs';
  export default fs;
  export function globSync() { throw new Error('fs.globSync needs Node 22'); }
`;

// Module hooks run on a thread of their own, which loads this same file for its `resolve`.
if (isMainThread && !('globSync' in fs)) register(import.meta.url);

export async function resolve(specifier, context, next) {
  if (specifier === 'fs' && context.parentURL?.includes('/@modelcontextprotocol/conformance/')) {
    return { url: `data:text/javascript,${encodeURIComponent(shim)}`, shortCircuit: true };
  }
  return next(specifier, context);
}
