import type { FieldKind } from '../schema/kind.js';

/** Kinds with more than one input: they have a legend instead of a label. */
export const GROUPS: ReadonlySet<FieldKind> = new Set([
  'boolean',
  'choices',
  'list',
  'object',
  'map',
  'union',
]);
