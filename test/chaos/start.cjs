// Runs the bundle of a node with the code that V8 compiled for it before: half of a start would be compiling.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { Script } = require('node:vm');

const [, , bundle] = process.argv;
const cache = `${bundle}.cache`;
const isCached = existsSync(cache);
const script = new Script(`(function (require) {${readFileSync(bundle, 'utf8')}\n})`, {
  filename: bundle,
  ...(isCached && { cachedData: readFileSync(cache) }),
});
script.runInThisContext()(require);
if (!isCached) writeFileSync(cache, script.createCachedData());
