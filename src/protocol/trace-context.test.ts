import { describe, expect, it } from 'vitest';
import { readTraceContext } from './trace-context.js';

describe('a trace context', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01';

  // covers: 2026-07-28/basic/trace-context-is-w3c
  it('is read with what belongs to it', () => {
    expect(readTraceContext({ traceparent })).toStrictEqual({ traceparent });
    expect(readTraceContext({ traceparent, tracestate: 'a=1', baggage: 'b=2', other: 3 })).toStrictEqual({
      traceparent,
      tracestate: 'a=1',
      baggage: 'b=2',
    });
  });

  it('leaves out what is not a string', () => {
    expect(readTraceContext({ traceparent, tracestate: 1, baggage: null })).toStrictEqual({ traceparent });
  });

  it('may be of a later version, with more fields', () => {
    const later = `cc${traceparent.slice(2)}-what-the-future-holds`;
    expect(readTraceContext({ traceparent: later })).toEqual({ traceparent: later });
  });

  it.each([
    undefined,
    1,
    '',
    `ff${traceparent.slice(2)}`,
    `${traceparent}-more`,
    `cc${traceparent.slice(2)}more`,
    traceparent.toUpperCase(),
    `${traceparent}\n`,
    traceparent.replace('0af7651916cd43dd8448eb211c80319c', '0'.repeat(32)),
    traceparent.replace('00f067aa0ba902b7', '0'.repeat(16)),
    traceparent.slice(0, -1),
  ])('needs a traceparent in the W3C format, not %j', value => {
    expect(readTraceContext({ traceparent: value, tracestate: 'a=1' })).toBeUndefined();
  });

  it('is not inherited', () => {
    expect(readTraceContext(Object.create({ traceparent }))).toBeUndefined();
  });

  it.each([undefined, null, 'text', []])('is not found in %j', meta => {
    expect(readTraceContext(meta)).toBeUndefined();
  });
});
