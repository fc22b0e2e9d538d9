import { expect, it, vi } from 'vitest';
import type { Caller } from '../../protocol/caller.js';
import { type Verified, VerifiedTokens } from './verified-tokens.js';

const RESOURCE = 'https://mcp.example.com/mcp';
const ADA: Caller = { principal: 'ada' };

const credentials = { scheme: 'Bearer', token: 'token' } as const;

function verifying(auth: Caller = ADA) {
  return vi.fn(async () => ({ credentials, auth }));
}

/** What a header says, as far as it is known, or by finding it out. */
async function find(
  tokens: VerifiedTokens,
  header: string,
  resource: string,
  seconds: number,
  verify: () => Promise<Verified>,
): Promise<Caller> {
  const verified = tokens.recall(header, resource) ?? (await tokens.learn(header, resource, seconds, verify));
  return verified.auth;
}

it('verifies a token once while it is kept', async () => {
  const tokens = new VerifiedTokens();
  const verify = verifying();
  await Promise.all([1, 2, 3].map(async () => find(tokens, 'token', RESOURCE, 60, verify)));
  // What is known is there at once.
  expect(tokens.recall('token', RESOURCE)?.auth).toBe(ADA);
  expect(verify).toHaveBeenCalledTimes(1);
});

it('keeps nothing beyond the expiry of the token', async () => {
  const tokens = new VerifiedTokens();
  const verify = verifying({ ...ADA, expiresAt: Date.now() / 1000 - 1 });
  await find(tokens, 'token', RESOURCE, 60, verify);
  await find(tokens, 'token', RESOURCE, 60, verify);
  expect(verify).toHaveBeenCalledTimes(2);
});

it('keeps nothing for longer than it is told', async () => {
  const tokens = new VerifiedTokens();
  const verify = verifying();
  await find(tokens, 'token', RESOURCE, 0.05, verify);
  await new Promise(resolve => setTimeout(resolve, 80));
  await find(tokens, 'token', RESOURCE, 0.05, verify);
  expect(verify).toHaveBeenCalledTimes(2);
});

it('does not take tokens that end alike for the same', async () => {
  const tokens = new VerifiedTokens();
  const end = 'x'.repeat(100);
  await find(tokens, `a${end}`, RESOURCE, 60, verifying());
  const verify = verifying({ principal: 'bob' });
  expect(await find(tokens, `b${end}`, RESOURCE, 60, verify)).toEqual({ principal: 'bob' });
});

it('does not take a token that is good for one resource as good for another', async () => {
  const tokens = new VerifiedTokens();
  await find(tokens, 'token', RESOURCE, 60, verifying());
  const verify = vi.fn(async () => Promise.reject(new Error('another audience')));
  await expect(find(tokens, 'token', 'https://other.example', 60, verify)).rejects.toThrow(
    'another audience',
  );
});

it('does not keep refusals', async () => {
  const tokens = new VerifiedTokens();
  await expect(
    find(tokens, 'token', RESOURCE, 60, () => Promise.reject(new Error('down'))),
  ).rejects.toThrow();
  expect(await find(tokens, 'token', RESOURCE, 60, verifying())).toBe(ADA);
});

it('forgets the one that was used longest ago when there are too many', async () => {
  const tokens = new VerifiedTokens(2);
  for (const token of ['one', 'two', 'three']) await find(tokens, token, RESOURCE, 60, verifying());
  const verify = verifying();
  await find(tokens, 'three', RESOURCE, 60, verify);
  await find(tokens, 'two', RESOURCE, 60, verify);
  expect(verify).not.toHaveBeenCalled();
  await find(tokens, 'one', RESOURCE, 60, verify);
  expect(verify).toHaveBeenCalledTimes(1);
});
