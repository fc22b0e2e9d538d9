import { expect, it, vi } from 'vitest';
import type { Auth } from '../../protocol/auth.js';
import { VerifiedTokens } from './verified-tokens.js';

const RESOURCE = 'https://mcp.example.com/mcp';
const ADA: Auth = { principal: 'ada' };

function verifying(auth: Auth = ADA) {
  return vi.fn(async () => auth);
}

it('verifies a token once while it is kept', async () => {
  const tokens = new VerifiedTokens();
  const verify = verifying();
  await Promise.all([1, 2, 3].map(async () => tokens.find('token', RESOURCE, 60, verify)));
  // What is known is there at once.
  expect(tokens.find('token', RESOURCE, 60, verify)).toBe(ADA);
  expect(verify).toHaveBeenCalledTimes(1);
});

it('keeps nothing beyond the expiry of the token', async () => {
  const tokens = new VerifiedTokens();
  const verify = verifying({ ...ADA, expiresAt: Date.now() / 1000 - 1 });
  await tokens.find('token', RESOURCE, 60, verify);
  await tokens.find('token', RESOURCE, 60, verify);
  expect(verify).toHaveBeenCalledTimes(2);
});

it('keeps nothing for longer than it is told', async () => {
  const tokens = new VerifiedTokens();
  const verify = verifying();
  await tokens.find('token', RESOURCE, 0.05, verify);
  await new Promise(resolve => setTimeout(resolve, 80));
  await tokens.find('token', RESOURCE, 0.05, verify);
  expect(verify).toHaveBeenCalledTimes(2);
});

it('does not take tokens that end alike for the same', async () => {
  const tokens = new VerifiedTokens();
  const end = 'x'.repeat(100);
  await tokens.find(`a${end}`, RESOURCE, 60, verifying());
  const verify = verifying({ principal: 'bob' });
  expect(await tokens.find(`b${end}`, RESOURCE, 60, verify)).toEqual({ principal: 'bob' });
});

it('does not take a token that is good for one resource as good for another', async () => {
  const tokens = new VerifiedTokens();
  await tokens.find('token', RESOURCE, 60, verifying());
  const verify = vi.fn(async () => Promise.reject(new Error('another audience')));
  await expect(tokens.find('token', 'https://other.example', 60, verify)).rejects.toThrow('another audience');
});

it('does not keep refusals', async () => {
  const tokens = new VerifiedTokens();
  await expect(tokens.find('token', RESOURCE, 60, () => Promise.reject(new Error('down')))).rejects.toThrow();
  expect(await tokens.find('token', RESOURCE, 60, verifying())).toBe(ADA);
});

it('forgets the one that was used longest ago when there are too many', async () => {
  const tokens = new VerifiedTokens(2);
  for (const token of ['one', 'two', 'three']) await tokens.find(token, RESOURCE, 60, verifying());
  const verify = verifying();
  await tokens.find('three', RESOURCE, 60, verify);
  await tokens.find('two', RESOURCE, 60, verify);
  expect(verify).not.toHaveBeenCalled();
  await tokens.find('one', RESOURCE, 60, verify);
  expect(verify).toHaveBeenCalledTimes(1);
});
