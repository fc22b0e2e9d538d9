import { getHeapStatistics } from 'node:v8';
import { HELD_SHARE } from '../../server/limits.js';

/** The part of the heap that may be held for clients. */
export function heapShare(): number {
  return getHeapStatistics().heap_size_limit * HELD_SHARE;
}
