import { expect, it } from 'vitest';
import { UsageError } from '../base/errors.js';
import { isReservedMetaKey, mayAttachMetaKey } from './meta-keys.js';
import { SUPPORTED_REVISIONS } from './names.js';

it.each([
  ['2026-07-28', true, false],
  ['2025-11-25', true, false],
  ['2025-06-18', false, true],
  ['2025-03-26', false, false],
  ['2024-11-05', false, false],
])('%s has its own rule for reserved prefixes', (revision, second, first) => {
  expect(isReservedMetaKey('dev.mcp/x', revision)).toBe(second);
  expect(isReservedMetaKey('mcp.dev/x', revision)).toBe(first);
  expect(mayAttachMetaKey('dev.mcp/x', revision)).toBe(!second);
  expect(mayAttachMetaKey('mcp.dev/x', revision)).toBe(!first);
  expect(mayAttachMetaKey('progressToken', revision)).toBe(false);
});

it('applies the rule of the newest revision if none is named', () => {
  expect(isReservedMetaKey('dev.mcp/x')).toBe(true);
  expect(isReservedMetaKey('mcp.dev/x')).toBe(false);
  expect(mayAttachMetaKey('mcp.dev/x')).toBe(true);
});

it.each(['2025-01-01', 'second-label', '', 'constructor'])('refuses the unknown revision %j', revision => {
  const message = `there is no revision "${revision}"; there are ${SUPPORTED_REVISIONS.join(', ')}`;
  expect(() => isReservedMetaKey('x', revision)).toThrow(new UsageError(message));
  expect(() => mayAttachMetaKey('x', revision)).toThrow(UsageError);
});
