import { expect, it } from 'vitest';
import { maskEntry, maskText } from './mask.js';

const mask = (params: object) =>
  (maskEntry({ at: 0, from: 'client', message: { params } }).message as { params: unknown }).params;

it.each([
  [{ password: 'x' }, { password: '[masked]' }],
  [
    { accessToken: 'x', refresh_token: 'y' },
    { accessToken: '[masked]', refresh_token: '[masked]' },
  ],
  [
    { apiKey: 'x', 'x-api-key': 'y' },
    { apiKey: '[masked]', 'x-api-key': '[masked]' },
  ],
  [
    { tokens: 1, pin: 1234 },
    { tokens: 1, pin: '[masked]' },
  ],
  [{ deep: [{ client_secret: ['a', 'b'] }] }, { deep: [{ client_secret: ['[masked]', '[masked]'] }] }],
  [{ authorization: 'Bearer abcdef' }, { authorization: 'Bearer [masked]' }],
  [{ requestState: 'abcdefghijklmnopqrstuvwxyz' }, { requestState: 'abcd…wxyz' }],
  [{ sessionId: 'abcdef' }, { sessionId: 'abc…' }],
])('%j loses its secrets', (params, masked) => {
  expect(mask(params)).toEqual(masked);
});

it.each([
  [{ progressToken: 'a-1', maxTokens: 100, outputTokens: 3 }],
  [{ properties: { password: { type: 'string', description: 'A password' } }, required: ['password'] }],
  [{ author: 'Jane', keyboard: 'qwerty', spin: 'left', passenger: 'Ada', compass: 'north' }],
])('%j has none', params => {
  expect(mask(params)).toEqual(params);
});

it.each([
  ['curl -H "Authorization: Bearer abc.def-ghi"', 'curl -H "Authorization: Bearer [masked]"'],
  ['https://ada:hunter2@bistro.example/mcp', 'https://ada:[masked]@bistro.example/mcp'],
  ['/callback?code=abcd1234&state=x', '/callback?code=[masked]&state=x'],
  ['{"password": "hunter2"}', '{"password": "[masked]"}'],
  ['the key is ghp_abcdefghijklmnopqrstuvwx', 'the key is [masked]'],
  ['/messages?sessionId=12345678', '/messages?sessionId=1234…'],
  ['a token of thanks, and the secret of soup', 'a token of thanks, and the secret of soup'],
])('the text %j is shown as %j', (text, masked) => {
  expect(maskText(text)).toBe(masked);
});
