import { afterEach, describe, expect, test, vi } from 'vitest';
import { chooseKeys } from './keys.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('TENON_KEYS', () => {
  test('holds keys between commas, with or without spaces', () => {
    vi.stubEnv('TENON_KEYS', ' first , second,third ');
    expect(chooseKeys(undefined)).toEqual(['first', 'second', 'third']);
  });

  test('holds none if it is not set, or empty', () => {
    vi.stubEnv('TENON_KEYS', undefined);
    expect(chooseKeys(undefined)).toBeUndefined();
    for (const empty of ['', ' ', ',', ' , ,']) {
      vi.stubEnv('TENON_KEYS', empty);
      expect(chooseKeys(undefined)).toBeUndefined();
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
    expect(chooseKeys(undefined)).toBeUndefined();
    vi.unstubAllGlobals();
  });

  test('gives way to keys that are given, if there are any', () => {
    vi.stubEnv('TENON_KEYS', 'from the environment');
    expect(chooseKeys(['given'])).toEqual(['given']);
    expect(chooseKeys([])).toEqual(['from the environment']);
  });
});
