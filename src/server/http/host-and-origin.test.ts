import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Exchange } from './exchange.js';
import { createGuard, type GuardOptions } from './host-and-origin.js';

interface Visitor {
  host?: string | undefined;
  origin?: string | undefined;
  isLocal?: boolean | undefined;
}

/** Whether a visitor gets in. */
function admits({ host = 'localhost', origin, isLocal }: Visitor, options: GuardOptions = {}): boolean {
  const headers: Record<string, string | undefined> = { host, origin };
  const isRepeated = () => false;
  const exchange = { header: (name: string) => headers[name], isRepeated, isLocal };
  return createGuard(options)(exchange as Partial<Exchange> as Exchange) === undefined;
}

describe('on a loopback connection', () => {
  test('only loopback names get in', () => {
    expect(admits({ host: 'localhost:3000', isLocal: true })).toBe(true);
    expect(admits({ host: 'mcp.example.com', isLocal: true })).toBe(false);
  });

  test('an allowed name gets in beside them', () => {
    const options = { allowedHosts: ['mcp.example.com'] };
    expect(admits({ host: 'mcp.example.com', isLocal: true }, options)).toBe(true);
    expect(admits({ host: 'localhost', isLocal: true }, options)).toBe(true);
    expect(admits({ host: 'evil.example', isLocal: true }, options)).toBe(false);
  });

  test('only loopback origins get in, and allowed ones', () => {
    const local = { isLocal: true };
    expect(admits({ ...local, origin: 'http://localhost:5173' })).toBe(true);
    expect(admits({ ...local, origin: 'https://evil.example' })).toBe(false);
    expect(admits({ ...local, origin: 'null' })).toBe(false);
    expect(admits({ ...local, origin: 'https://a.example' }, { allowedOrigins: ['https://a.example'] })).toBe(
      true,
    );
    expect(admits({ ...local, origin: 'https://a.example' }, { allowedOrigins: ['*'] })).toBe(true);
  });

  test('no name gets in that a browser would not resolve to this machine', () => {
    const name = fc.string({ unit: fc.constantFrom(...'localhost127.0:1[]@/\\#?%evil, '), maxLength: 24 });
    fc.assert(
      fc.property(name, host => {
        if (!admits({ host, isLocal: true })) return;
        expect(['localhost', '[::1]']).toEqual(
          expect.arrayContaining([
            host
              .replace(/:\d+$/, '')
              .replace(/^127\.\d+\.\d+\.\d+$/, 'localhost')
              .toLowerCase(),
          ]),
        );
      }),
      { numRuns: 20_000, seed: 3 },
    );
  });
});

describe('on another connection', () => {
  test('every name gets in unless names were allowed', () => {
    expect(admits({ host: 'mcp.example.com', isLocal: false })).toBe(true);
    expect(admits({ host: 'mcp.example.com', isLocal: false }, { allowedHosts: ['other.example'] })).toBe(
      false,
    );
    expect(admits({ host: 'localhost', isLocal: false }, { allowedHosts: ['other.example'] })).toBe(false);
  });

  test('an origin gets in only if it was allowed, also one of loopback', () => {
    const remote = { host: 'mcp.example.com', isLocal: false };
    expect(admits({ ...remote, origin: 'https://mcp.example.com' })).toBe(false);
    expect(admits({ ...remote, origin: 'http://localhost' })).toBe(false);
    expect(admits({ ...remote, host: 'localhost', origin: 'http://localhost' })).toBe(false);
    expect(
      admits({ ...remote, origin: 'https://a.example' }, { allowedOrigins: ['https://A.example/'] }),
    ).toBe(true);
  });
});

describe('where the runtime does not tell the connection', () => {
  test('names get in, and origins only if they were allowed or all is loopback', () => {
    expect(admits({ host: 'mcp.example.com' })).toBe(true);
    expect(admits({ host: 'mcp.example.com', origin: 'http://localhost' })).toBe(false);
    expect(admits({ host: 'localhost:8787', origin: 'http://localhost:8787' })).toBe(true);
    expect(admits({ host: 'localhost:8787', origin: 'https://evil.example' })).toBe(false);
  });
});

test.for(['', ' ', 'a b', 'a@b', 'http://a', 'a/b', 'a,b', '[::1', '::1]', 'a:b', 'a:', ':80', 'é'])(
  'a Host of "%s" never gets in',
  host => {
    for (const isLocal of [true, false, undefined]) expect(admits({ host, isLocal })).toBe(false);
  },
);
