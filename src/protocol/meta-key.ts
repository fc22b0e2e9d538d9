import { META } from './meta.js';

/**
 * Which prefixes a revision reserves for itself:
 * - `none`: it has no such rule (2024-11-05, 2025-03-26)
 * - `any-label`: a label `modelcontextprotocol` or `mcp` with another label after it (2025-06-18)
 * - `second-label`: one of them is the second label (2025-11-25 and later)
 */
export type ReservedRule = 'none' | 'any-label' | 'second-label';

/**
 * Whether a key of `_meta` is well formed: a name, or a prefix of dotted labels, a slash and a name or nothing.
 *
 * @example
 * isMetaKey('com.example/table'); // true
 * isMetaKey('com..example/table'); // false
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 */
export function isMetaKey(key: string): boolean {
  const { labels, name } = splitKey(key);
  if (labels === undefined) return NAME.test(name);
  return labels.every(label => LABEL.test(label)) && (name === '' || NAME.test(name));
}

/** Whether the prefix of a key is reserved for the protocol, by the rule of a revision. */
export function isReservedUnder(rule: ReservedRule, key: string): boolean {
  const { labels = [] } = splitKey(key);
  if (rule === 'none') return false;
  if (rule === 'second-label') return isProtocolLabel(labels[1]);
  return labels.slice(0, -1).some(isProtocolLabel);
}

/** Whether an application may put a key into `_meta`, by the rule of a revision. */
export function mayAttachUnder(rule: ReservedRule, key: string): boolean {
  return isMetaKey(key) && !isReservedUnder(rule, key) && !UNPREFIXED.has(key);
}

const LABEL = /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const UNPREFIXED: ReadonlySet<string> = new Set(Object.values(META).filter(key => !key.includes('/')));

function splitKey(key: string): { labels?: string[]; name: string } {
  const slash = key.lastIndexOf('/');
  if (slash === -1) return { name: key };
  return { labels: key.slice(0, slash).split('.'), name: key.slice(slash + 1) };
}

function isProtocolLabel(label: string | undefined): boolean {
  return label === 'modelcontextprotocol' || label === 'mcp';
}
