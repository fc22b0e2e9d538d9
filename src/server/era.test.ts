import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HEADER } from '../protocol/headers.js';
import { META } from '../protocol/meta.js';
import { selectEra } from './era.js';

const enveloped = { _meta: { [META.protocolVersion]: '2026-07-28' } };

function version(value: string) {
  return (name: string) => (name === HEADER.protocolVersion ? value : undefined);
}

describe('the era of a message', () => {
  it.each([
    ['any version in its envelope', { method: 'tools/list', params: enveloped }],
    ['a version nobody knows', { method: 'x', params: { _meta: { [META.protocolVersion]: '1999-01-01' } } }],
    ['a version of the wrong type', { method: 'x', params: { _meta: { [META.protocolVersion]: 5 } } }],
    ['an envelope on initialize', { method: 'initialize', params: enveloped }],
    ['a method that only the modern era has', { method: 'server/discover' }],
    ['a listen request without an envelope', { method: 'subscriptions/listen', params: {} }],
  ])('is modern with %s', (_, message) => {
    expect(selectEra(message)).toBe('modern');
  });

  it.each([
    ['initialize', { method: 'initialize', params: { protocolVersion: '2026-07-28' } }],
    ['no envelope', { method: 'tools/list', params: {} }],
    ['no params', { method: 'tools/list' }],
    ['a _meta of another kind', { method: 'tools/call', params: { _meta: { progressToken: 1 } } }],
    ['params that are a list', { method: 'tools/list', params: [enveloped] }],
    ['nothing at all', {}],
  ])('is legacy with %s', (_, message) => {
    expect(selectEra(message)).toBe('legacy');
  });

  it('follows the version header where there is no envelope, so that a missing one is reported as such', () => {
    expect(selectEra({ method: 'tools/list' }, version('2026-07-28'))).toBe('modern');
    expect(selectEra({ method: 'tools/list' }, version('2025-11-25'))).toBe('legacy');
    expect(selectEra({ method: 'tools/list' }, version('1999-01-01'))).toBe('legacy');
    expect(selectEra({ method: 'tools/list' }, () => undefined)).toBe('legacy');
  });

  it('lets a handshake through whatever its header says', () => {
    expect(selectEra({ method: 'initialize' }, version('2026-07-28'))).toBe('legacy');
  });

  it('believes the envelope rather than the header', () => {
    expect(selectEra({ method: 'tools/list', params: enveloped }, version('2025-11-25'))).toBe('modern');
  });

  it('is always one of the two', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), (method, params, header) => {
        expect(['modern', 'legacy']).toContain(selectEra({ method, params }, version(header)));
      }),
    );
  });
});
