import { afterEach, describe, expect, test, vi } from 'vitest';
import { keysFromEnvironment } from './keys.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('TENON_KEYS', () => {
  test('holds keys between commas, with or without spaces', () => {
    vi.stubEnv('TENON_KEYS', ' first , second,third ');
    expect(keysFromEnvironment()).toEqual(['first', 'second', 'third']);
  });

  test('holds none if it is not set, or empty', () => {
    vi.stubEnv('TENON_KEYS', undefined);
    expect(keysFromEnvironment()).toBeUndefined();
    for (const empty of ['', ' ', ',', ' , ,']) {
      vi.stubEnv('TENON_KEYS', empty);
      expect(keysFromEnvironment()).toBeUndefined();
    }
  });

  test('holds none where a program is not allowed to look', () => {
    const env = new Proxy(
      {},
      {
        get() {
          throw new Error('not allowed');
        },
      },
    );
    vi.stubGlobal('process', { env });
    expect(keysFromEnvironment()).toBeUndefined();
    vi.unstubAllGlobals();
  });
});
