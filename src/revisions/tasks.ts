import { findRevision } from './index.js';

/** How a revision knows tasks: as a part of its own, or as an extension. */
export type TaskDialect = 'core' | 'extension';

/** How a revision knows tasks; undefined if it does not. */
export function taskDialect(revision: string): TaskDialect | undefined {
  if (revision === '2025-11-25') return 'core';
  return findRevision(revision)?.era === 'modern' ? 'extension' : undefined;
}
