import { describe, expect, test } from 'vitest';
import { Server } from '../../src/server/index.js';
import { startChild } from './child.js';
import { LegacyClient } from './legacy-client.js';
import { serve } from './serve.js';

const KEYS = { TENON_KEYS: `${'a'.repeat(32)},${'b'.repeat(32)}` };
const OTHER_KEYS = { TENON_KEYS: 'c'.repeat(32) };

async function whoami(url: string, client: LegacyClient): Promise<string> {
  const { status, result } = await new LegacyClient(url, client).call('whoami');
  return result?.content[0].text ?? String(status);
}

describe('a session', () => {
  test('goes on after the process was killed and started again with the same keys', async () => {
    const first = startChild('server.ts', { env: KEYS });
    const url = await first.line();
    const client = await LegacyClient.open(url, { revision: '2025-11-25', capabilities: { roots: {} } });
    expect(await whoami(url, client)).toBe(`raw 2025-11-25 in ${first.process.pid}`);
    const begun = await client.stream('log');
    await begun.message();
    await first.kill();

    const second = startChild('server.ts', { env: { ...KEYS, PORT: new URL(url).port } });
    expect(await second.line()).toBe(url);
    expect(await whoami(url, client)).toBe(`raw 2025-11-25 in ${second.process.pid}`);

    // What the first process kept of its streams is gone with it.
    expect((await client.get({ 'last-event-id': begun.lastId! })).status).toBe(400);

    // The capabilities came along, so the server may ask; and so did the streams, once they are opened anew.
    const stream = await client.stream('ask');
    const { id } = await stream.message();
    await client.answer(id!, { roots: [] });
    expect((await stream.message()).result.content[0].text).toBe('0 roots');
    await client.request('resources/subscribe', { uri: 'note://a' });
    const notices = await client.notices();
    await client.call('touch');
    expect((await notices.message()).params).toEqual({ uri: 'note://a' });
  });

  test('works on several processes at the same time, but not on one with other keys', async () => {
    const nodes = [startChild('server.ts', { env: KEYS }), startChild('server.ts', { env: KEYS })];
    const stranger = startChild('server.ts', { env: OTHER_KEYS });
    const [one, two, other] = await Promise.all([...nodes, stranger].map(child => child.line()));
    const client = await LegacyClient.open(one!);
    const answers = await Promise.all([one!, two!, one!, two!].map(url => whoami(url, client)));
    expect(answers.map(answer => answer.split(' in ')[0])).toEqual(Array(4).fill('raw 2025-06-18'));
    expect(new Set(answers).size).toBe(2);
    expect(await whoami(other!, client)).toBe('404');
  });
});

test('a node whose server has another name refuses the sessions of the others, and says why', async () => {
  const warnings: string[] = [];
  const keys = ['a key of at least thirty-two bytes'];
  const onWarning = (warning: string) => warnings.push(warning);
  const [one, two] = ['bistro-1', 'bistro-2'].map(name => new Server({ name, version: '1' }, { onWarning }));
  const client = await LegacyClient.open((await serve(one!, { keys })).url);
  const elsewhere = new LegacyClient((await serve(two!, { keys })).url, client);
  for (let times = 0; times < 2; times++) expect((await elsewhere.request('ping')).status).toBe(404);
  expect(warnings).toEqual([expect.stringContaining('server "bistro-1" came to "bistro-2"')]);
});
