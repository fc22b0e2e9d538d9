import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Server } from '../../src/server/index.js';
import { ASKING, askingServer, open, read, serve } from './servers.js';

const party = z.object({ guests: z.number().int().min(1), name: z.string().default('Ada') });

describe.each(ASKING)('what servers of %s ask', revision => {
  // covers: 2025-11-25/elicitation/defaults-are-filled-in, 2026-07-28/elicitation/defaults-are-filled-in
  it('is answered with the defaults of the form filled in', async () => {
    const client = await open(await serve(askingServer(party)), {
      revision,
      onElicit: () => ({ action: 'accept', content: { guests: 3 } }),
    });
    expect(read(await client.callTool('ask'))).toEqual([
      { action: 'accept', content: { guests: 3, name: 'Ada' } },
    ]);
  });

  // covers: 2025-06-18/elicitation/user-can-decline-and-cancel
  // covers: 2025-06-18/elicitation/client-has-approval-controls
  // covers: 2025-11-25/elicitation/ui-offers-decline-and-cancel
  // covers: 2026-07-28/elicitation/client-has-approval-controls
  // covers: 2026-07-28/elicitation/success-is-not-assumed
  // covers: 2026-07-28/elicitation/ui-offers-decline-and-cancel, 2026-07-28/elicitation/users-may-decline
  it('is declined and cancelled, too', async () => {
    for (const action of ['decline', 'cancel'] as const) {
      const client = await open(askingServer(party), { revision, onElicit: () => ({ action }) });
      expect(read(await client.callTool('ask'))).toEqual([{ action }]);
    }
  });

  // covers: 2026-07-28/elicitation/client-says-what-is-asked
  it('is answered several at a time', async () => {
    const shown: string[] = [];
    let release = () => {};
    const all = new Promise<void>(resolve => {
      release = resolve;
    });
    const form = z.object({ n: z.number() });
    const client = await open(await serve(askingServer(form, form, form)), {
      revision,
      async onElicit({ message }) {
        if (shown.push(message) === 3) release();
        await all;
        return { action: 'accept', content: { n: Number(message.at(-1)) } };
      },
    });
    const answers = [0, 1, 2].map(n => ({ action: 'accept', content: { n } }));
    expect(read(await client.callTool('ask'))).toEqual(answers);
    expect(shown.sort()).toEqual(['Question 0', 'Question 1', 'Question 2']);
  });

  it('is refused if nobody answers it, and then not declared', async () => {
    const client = await open(askingServer(party), { revision });
    const outcome = await client.callTool('ask').then(
      ({ isError, content }) => ({ isError, text: JSON.stringify(content) }),
      (error: Error) => ({ isError: true, text: error.message }),
    );
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toContain('elicitation');
  });

  it('can be a model and folders', async () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    server.tool('think', {}, async (_args, ctx) => {
      const roots = await ctx.roots();
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: roots[0]!.uri } }];
      const { model } = await ctx.sample({ messages, maxTokens: 10 });
      return JSON.stringify([model, roots]);
    });
    const client = await open(server, {
      revision,
      roots: [{ uri: 'file:///one' }],
      onSample: ({ messages }) => ({
        role: 'assistant',
        model: JSON.stringify(messages[0]!.content),
        content: { type: 'text', text: 'yes' },
      }),
    });
    const [model, roots] = read(await client.callTool('think')) as [string, object[]];
    expect(model).toContain('file:///one');
    expect(roots).toEqual([{ uri: 'file:///one' }]);
    await client.setRoots(() => [{ uri: 'file:///two' }]);
    expect(read(await client.callTool('think'))).toMatchObject([
      expect.stringContaining('two'),
      [{ uri: 'file:///two' }],
    ]);
  });
});

describe('an answer that does not fit its form', () => {
  // covers: 2026-07-28/elicitation/client-validates-answers
  it('is not sent: the call fails and says what is wrong', async () => {
    const client = await open(askingServer(party), {
      revision: '2026-07-28',
      onElicit: () => ({ action: 'accept', content: { guests: 0 } }),
    });
    await expect(client.callTool('ask')).rejects.toThrow(
      /^the answer to "Question 0" does not fit its form: guests/,
    );
  });

  it('is not sent although the same form was shown before, and whatever was done to it then', async () => {
    const contents = [{ chairs: 1 }, {}];
    const client = await open(askingServer(z.object({ chairs: z.number() })), {
      revision: '2026-07-28',
      onElicit({ requestedSchema }) {
        (requestedSchema.required as string[]).length = 0;
        return { action: 'accept', content: contents.shift()! };
      },
    });
    expect(read(await client.callTool('ask'))).toMatchObject([{ content: { chairs: 1 } }]);
    await expect(client.callTool('ask')).rejects.toThrow(
      'does not fit its form: must have the property "chairs"',
    );
  });

  it('is not sent, however many forms there are and however large they are', async () => {
    const limits = Array.from({ length: 150 }, (_, at) => at);
    const title = 'x'.repeat(5000);
    const forms = limits.flatMap(limit => [
      z.object({ n: z.number().min(limit) }),
      z.object({ n: z.number().min(limit).meta({ title }) }),
    ]);
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    server.tool('ask', { input: z.object({ at: z.number() }) }, async ({ at }, ctx) =>
      JSON.stringify(await ctx.elicit('How many?', forms[at]!)),
    );
    let n = 0;
    const client = await open(server, { onElicit: () => ({ action: 'accept', content: { n } }) });
    for (const twice of [1, 2]) {
      for (const at of forms.keys()) {
        n = limits[at >> 1]!;
        expect(read(await client.callTool('ask', { at })), `time ${twice}`).toMatchObject({ content: { n } });
        n -= 1;
        await expect(client.callTool('ask', { at })).rejects.toThrow('does not fit its form: n');
      }
    }
  });

  // covers: 2025-11-25/elicitation/client-validates-answers
  it('is told to servers that wait for it as a failure', async () => {
    const client = await open(askingServer(party), {
      revision: '2025-11-25',
      onElicit: () => ({ action: 'accept', content: { guests: 'many' } }),
    });
    const { isError, content } = await client.callTool('ask');
    expect(isError).toBe(true);
    expect(content).toMatchObject([{ text: expect.stringContaining('does not fit its form: guests') }]);
  });
});

describe('a page that the user is asked to visit', () => {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('pay', {}, async (_args, ctx) => {
    const { action } = await ctx.elicitUrl('Pay here', 'https://pay.example/17');
    return JSON.stringify(action);
  });

  // covers: 2025-11-25/elicitation/urls-are-not-fetched
  // covers: 2025-11-25/elicitation/urls-are-not-opened-without-consent
  // covers: 2025-11-25/elicitation/urls-are-shown-in-full, 2026-07-28/elicitation/urls-are-not-fetched
  // covers: 2026-07-28/elicitation/urls-are-not-opened-without-consent
  // covers: 2026-07-28/elicitation/urls-are-shown-in-full
  it.each(['2025-11-25', '2026-07-28'])(
    'is shown by the client, and never fetched, on %s',
    async revision => {
      const shown: string[] = [];
      const client = await open(server, {
        revision,
        onElicitUrl({ url }) {
          shown.push(url);
          return { action: 'accept' };
        },
      });
      expect(read(await client.callTool('pay'))).toBe('accept');
      expect(shown).toEqual(['https://pay.example/17']);
    },
  );
});
