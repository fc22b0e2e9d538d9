import { UsageError } from '../base/errors.js';

const OLDEST = 20;

// The entries for Node import this file before anything else, so that an old Node fails with a message that helps
// and not with a function that it does not have. Entries for every runtime are left without it: they stay small.
if (Number.parseInt(process.versions.node, 10) < OLDEST) {
  throw new UsageError(`Tenon needs Node ${OLDEST} or newer; this is Node ${process.versions.node}`);
}
