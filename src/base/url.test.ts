import { expect, test } from 'vitest';
import { parseUrl } from './url.js';

test('parses a URL, also relative to another', () => {
  expect(parseUrl('https://bistro.example/a')?.pathname).toBe('/a');
  expect(parseUrl('../b', 'https://bistro.example/a/c')?.href).toBe('https://bistro.example/b');
});

test('never throws, whatever the text is', () => {
  for (const text of ['', 'a', 'http://', 'http://[', '//', 'http://\xe9\xad']) {
    expect(() => parseUrl(text), text).not.toThrow();
  }
  for (let code = 0; code < 0x250; code++) {
    const mark = String.fromCharCode(code);
    for (const text of [`http://${mark}`, `http://localhost${mark}`, `http://xn--${mark}`, `${mark}:a`]) {
      expect(() => parseUrl(text), JSON.stringify(text)).not.toThrow();
    }
  }
});
