import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOG_LEVELS } from './logging.js';
import { META } from './meta.js';
import { readProgressToken, readRequestMeta } from './request-meta.js';

const minimal = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: {} };

describe('reading the envelope of a request', () => {
  it('needs a version and capabilities, and nothing else', () => {
    expect(readRequestMeta(minimal)).toEqual({
      protocolVersion: '2026-07-28',
      clientInfo: undefined,
      clientCapabilities: {},
      logLevel: undefined,
      progressToken: undefined,
      trace: undefined,
    });
  });

  it('returns everything that the request says of itself', () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const info = { name: 'client', version: '1', title: 'A client' };
    const meta = {
      ...minimal,
      [META.clientInfo]: info,
      [META.clientCapabilities]: { elicitation: { url: {} } },
      [META.logLevel]: 'warning',
      progressToken: 'p',
      traceparent,
      tracestate: 'a=b',
      baggage: 'c=d',
    };
    expect(readRequestMeta(meta)).toEqual({
      protocolVersion: '2026-07-28',
      clientInfo: info,
      clientCapabilities: { elicitation: { url: {} } },
      logLevel: 'warning',
      progressToken: 'p',
      trace: { traceparent, tracestate: 'a=b', baggage: 'c=d' },
    });
  });

  it.each([
    [undefined, META.protocolVersion],
    [null, META.protocolVersion],
    [[], META.protocolVersion],
    [{}, META.protocolVersion],
    [{ [META.protocolVersion]: '2026-07-28' }, META.clientCapabilities],
    [{ ...minimal, [META.clientCapabilities]: null }, META.clientCapabilities],
    [{ ...minimal, [META.clientInfo]: 'client' }, META.clientInfo],
    [{ ...minimal, [META.clientInfo]: { name: 'client' } }, META.clientInfo],
    [{ ...minimal, [META.logLevel]: 'INFO' }, META.logLevel],
    [{ ...minimal, [META.logLevel]: null }, META.logLevel],
  ])('says what is wrong with %j', (meta, key) => {
    expect(readRequestMeta(meta)).toEqual(expect.stringContaining(key));
  });

  it.each(LOG_LEVELS)('knows the level %s', level => {
    expect(readRequestMeta({ ...minimal, [META.logLevel]: level })).toMatchObject({ logLevel: level });
  });

  // covers: 2026-07-28/basic/trace-context-is-w3c
  it('passes over a trace that is not in the W3C format', () => {
    expect(readRequestMeta({ ...minimal, traceparent: 'x' })).toMatchObject({ trace: undefined });
  });

  it('answers any JSON with an envelope or a sentence', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const envelope = readRequestMeta(value);
        expect(typeof envelope === 'string' || typeof envelope.protocolVersion === 'string').toBe(true);
      }),
    );
  });
});

describe('reading a progress token', () => {
  // covers: 2026-07-28/progress/token-is-text-or-integer
  it.each(['', 'token', 0, -1, 7, Number.MAX_SAFE_INTEGER])('takes %j as it is', progressToken => {
    expect(readProgressToken({ progressToken })).toBe(progressToken);
  });

  it.each([undefined, null, 1.5, Number.NaN, Number.POSITIVE_INFINITY, true, {}, ['a']])(
    'finds none in %j',
    progressToken => {
      expect(readProgressToken({ progressToken })).toBeUndefined();
    },
  );
});
