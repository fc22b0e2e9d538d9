import { revision20241105 } from './2024-11-05.js';
import { revision20250326 } from './2025-03-26.js';
import { revision20250618 } from './2025-06-18.js';
import { revision20251125 } from './2025-11-25.js';
import { revision20260728 } from './2026-07-28.js';
import type { Revision } from './revision.js';

/** Every revision that Tenon speaks, newest first. */
export const REVISIONS: readonly Revision[] = [
  revision20260728,
  revision20251125,
  revision20250618,
  revision20250326,
  revision20241105,
];

export const MODERN: readonly Revision[] = REVISIONS.filter(revision => revision.era === 'modern');
export const LEGACY: readonly Revision[] = REVISIONS.filter(revision => revision.era === 'legacy');

const byName = new Map(REVISIONS.map(revision => [revision.name, revision]));

export function findRevision(name: string): Revision | undefined {
  return byName.get(name);
}

/** Finds a revision with a handshake by its name. */
export function findLegacy(name: string): Revision | undefined {
  const revision = byName.get(name);
  return revision?.era === 'legacy' ? revision : undefined;
}

export type { Revision } from './revision.js';
