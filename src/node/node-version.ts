import { UsageError } from '../base/errors.js';

const OLDEST = 20;

// The entries for Node import this file before anything else, so that an old Node fails with a helpful message instead
// of a missing function. Entries for every runtime do not import it, to stay small.
if (Number.parseInt(process.versions.node, 10) < OLDEST) {
  throw new UsageError(`Tenon needs Node ${OLDEST} or newer; this is Node ${process.versions.node}`);
}
