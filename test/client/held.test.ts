import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { program } from '../programs/program.js';
import { askingServer, open, serve } from './servers.js';

const form = z.object({ n: z.number() });
const ask = { name: 'ask', arguments: {} };

describe('a request that is held', () => {
  it('stops at the questions, and goes on with the answers', async () => {
    const client = await open(await serve(askingServer(form, form)), { capabilities: { elicitation: {} } });
    const first = await client.begin('tools/call', ask);
    expect(Object.values(first.held?.questions ?? {}).map(({ method }) => method)).toEqual([
      'elicitation/create',
      'elicitation/create',
    ]);
    const [one, two] = Object.keys(first.held?.questions ?? {}) as [string, string];
    const last = await client.resume(first.held!, {
      [one]: { action: 'accept', content: { n: 1 } },
      [two]: { action: 'decline' },
    });
    expect(last.result?.content).toEqual([
      { type: 'text', text: '[{"action":"accept","content":{"n":1}},{"action":"decline"}]' },
    ]);
  });

  it('is JSON, and can be taken up in another process', async () => {
    const url = await serve(askingServer(form));
    const client = await open(url, { capabilities: { elicitation: {} } });
    const { held } = await client.begin('tools/call', ask);
    const script = fileURLToPath(new URL('fixtures/resume.ts', import.meta.url));
    const args = [program(script), url, JSON.stringify(held)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(JSON.parse(stdout)).toEqual([{ action: 'accept', content: { n: 7 } }]);
  });

  it('is over at once if nothing is asked', async () => {
    const client = await open(askingServer());
    expect(await client.begin('tools/call', ask)).toMatchObject({ result: { content: [{ text: '[]' }] } });
  });
});
