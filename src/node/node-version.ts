import { UsageError } from '../base/errors.js';

const OLDEST = [20, 12] as const;

// The entries for Node import this file before anything else, so that an old Node fails with a helpful message instead
// of a missing function. Entries for every runtime do not import it, to stay small.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  throw new UsageError(
    `Tenon needs Node ${OLDEST.join('.')} or newer; this is Node ${process.versions.node}`,
  );
}
