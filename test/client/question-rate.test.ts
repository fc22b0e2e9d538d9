import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { UsageError } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { Server } from '../../src/server/index.js';
import { ASKING, open, serve } from './servers.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

/** A server whose tool asks the user, and says what came of it. */
function curious(): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('ask', {}, async (_args, ctx) => {
    const { action } = await ctx.elicit('More?', z.object({}));
    return action;
  });
  return server;
}

describe.each(ASKING)('a server of %s that asks too often', revision => {
  // covers: 2026-07-28/sampling/client-limits-the-rate
  it('is not answered more often than the author allows', async () => {
    let asked = 0;
    const onElicit = () => {
      asked++;
      return { action: 'decline' as const };
    };
    const client = await open(await serve(curious()), { revision, onElicit, maxQuestionsPerMinute: 2 });
    const ask = () => client.callTool('ask').catch(error => ({ isError: true, error: String(error) }));
    expect(await ask()).toMatchObject({ content: [{ text: 'decline' }] });
    expect(await ask()).toMatchObject({ content: [{ text: 'decline' }] });
    expect(await ask()).toMatchObject({ isError: true });
    expect(asked).toBe(2);
    vi.setSystemTime(Date.now() + 30_000);
    expect(await ask()).toMatchObject({ content: [{ text: 'decline' }] });
    expect(await ask()).toMatchObject({ isError: true });
    expect(asked).toBe(3);
  });
});

it.each([0, -1, Number.NaN, '5'])('the limit must be a positive number, not %s', async limit => {
  const connecting = connect(curious(), { maxQuestionsPerMinute: limit as number });
  await expect(connecting).rejects.toThrow(UsageError);
});
