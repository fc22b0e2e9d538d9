import { expect, it, onTestFinished } from 'vitest';
import { connect } from '../../client/index.js';
import type { InputRequiredResult } from '../../protocol/input.js';
import { inputRequired } from '../../protocol/input-required.js';
import { Server } from '../server.js';
import type { Context } from './context.js';

interface Told {
  text: string;
  where: string;
}

/** The warnings of a server whose tool asks in this way. */
async function warningsOf(revision: string, ask: (ctx: Context) => unknown): Promise<Told[]> {
  const told: Told[] = [];
  const server = new Server(
    { name: 'bistro', version: '1.0.0' },
    { onWarning: (text, where) => void told.push({ text, where }) },
  );
  server.tool('sign_in', {}, async (_, ctx) => {
    const returned = await ask(ctx);
    return isInputRequired(returned) ? returned : 'asked';
  });
  const client = await connect(server, { revision, onElicit: () => ({ action: 'decline' }) });
  onTestFinished(() => client.close());
  await client.callTool('sign_in');
  return told.filter(({ text }) => text.includes('forms must not ask'));
}

function isInputRequired(value: unknown): value is InputRequiredResult {
  return typeof value === 'object' && value !== null && 'inputRequests' in value;
}

const form = (...names: string[]) => ({
  type: 'object' as const,
  properties: Object.fromEntries(names.map(name => [name, { type: 'string' as const }])),
});

it.each([
  ['2026-07-28', 'password', 'newApiKey'],
  ['2025-06-18', 'user-password', 'accessToken'],
])('a form with fields for secrets is warned of, on %s', async (revision, ...names) => {
  const told = await warningsOf(revision, ctx => ctx.elicit('Who are you?', form('name', ...names)));
  expect(told).toHaveLength(2);
  for (const [index, name] of names.entries()) expect(told[index]?.text).toContain(`"${name}"`);
  expect(told[0]).toMatchObject({ where: 'sign_in', text: expect.stringContaining('ctx.elicitUrl') });
});

it('a question that is asked as it is, or by hand, is warned of, too', async () => {
  const params = (name: string) => ({ mode: 'form' as const, message: 'Who?', requestedSchema: form(name) });
  const asIs = await warningsOf('2025-11-25', ctx =>
    ctx.ask({ method: 'elicitation/create', params: params('passphrase') }),
  );
  expect(asIs).toHaveLength(1);
  const byHand = await warningsOf('2026-07-28', ({ inputResponses }) =>
    inputResponses
      ? 'answered'
      : inputRequired({
          requests: { who: { method: 'elicitation/create', params: params('client_secret') } },
        }),
  );
  expect(byHand).toHaveLength(1);
});

it('fields that only sound like secrets are not warned of', async () => {
  const names = ['secretary', 'passenger', 'token_count', 'key', 'postcode'];
  expect(await warningsOf('2026-07-28', ctx => ctx.elicit('Who?', form(...names)))).toEqual([]);
});
