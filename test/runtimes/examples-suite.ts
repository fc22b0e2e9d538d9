import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { connect } from '../../src/node/client/index.js';
import { afterTests, type Runtime, runProgram, startServer } from './program.js';

const REVISIONS = ['2026-07-28', '2025-06-18'];

/** Tests the examples that run on Node, on a runtime that does what Node does. */
export function testExamples(runtime: Runtime): void {
  const start = (example: string, env = {}, ...args: string[]) =>
    startServer(runtime, `examples/${example}`, env, ...args);

  it('minimal', async () => {
    await using client = await connect(await start('minimal/server.ts'));
    expect(await client.callTool('greet', { name: 'Ada' })).toMatchObject({
      content: [{ text: 'Hello Ada!' }],
    });
  });

  it('bistro', async () => {
    await using client = await connect(await start('bistro/main.ts'));
    expect(await client.tools()).toHaveLength(11);
    const { contents } = await client.readResource('menu://friday');
    expect(contents[0]).toMatchObject({ mimeType: 'text/markdown' });
  });

  it('rounds', async () => {
    const url = await start('rounds/http.ts');
    const answers: Record<string, string | number | boolean>[] = [
      { nights: 2 },
      { agreed: true },
      { name: 'Ada' },
      { meal: 'dinner' },
    ];
    for (const revision of REVISIONS) {
      const left = [...answers];
      const onElicit = () => ({ action: 'accept', content: left.shift() ?? {} }) as const;
      await using client = await connect(url, { revision, onElicit });
      const { content } = await client.callTool('book_trip', { city: 'Rome' });
      expect(JSON.stringify(content)).toContain('in Rome for Ada, 2 nights');
    }
  });

  it('tracker', async () => {
    const url = await start('tracker/main.ts', {}, await temporaryFile('issues.db'));
    const onElicit = () => ({ action: 'accept', content: { reason: 'done' } }) as const;
    await using client = await connect(url, { onElicit });
    const opened = await client.callTool('open_issue', { title: 'The oven is broken' });
    expect(opened.structuredContent).toMatchObject({ id: 1, state: 'open' });
    expect(await client.resources()).toMatchObject([{ uri: 'issue://1', name: 'The oven is broken' }]);
    const closed = await client.callTool('close_issue', { id: 1 });
    expect(closed.structuredContent).toMatchObject({ state: 'closed', reason: 'done' });
    const found = await client.callTool('find_issues', { text: 'OVEN', state: 'closed' });
    expect(found.structuredContent).toMatchObject({ issues: [{ id: 1 }] });
    expect(JSON.stringify(await client.readResource('issue://1'))).toContain('State: closed, done');
  });

  it('apps', async () => {
    await using client = await connect(await start('apps/main.ts'));
    const pages = await client.resources();
    expect(pages.map(({ uri }) => uri)).toEqual([
      'ui://show_takings/view.html',
      'ui://choose_table/view.html',
    ]);
    for (const { uri } of pages) {
      const { contents } = await client.readResource(uri);
      expect(contents).toMatchObject([
        {
          mimeType: 'text/html;profile=mcp-app',
          text: expect.stringMatching(/^<!doctype html>.*--surface:/s),
        },
      ]);
      // Hosts load nothing beside the page.
      expect(contents).not.toMatchObject([{ text: expect.stringMatching(/<link|<script[^>]* src=/) }]);
    }
    const { content } = await client.callTool('show_takings', { week: 46 });
    expect(content).toMatchObject([{ text: expect.stringContaining('| Saturday |') }]);
    const booking = { table: 'D', guests: 4, name: 'Ada' };
    const { structuredContent } = await client.callTool('book_table', booking);
    expect(structuredContent).toMatchObject({ confirmation: 'Table D is booked for Ada, 4 guests.' });
  });

  it.for(['express', 'fastify', 'hono'])('%s', async framework => {
    const url = await start(`${framework}/main.ts`);
    await expectReservations(url);
    expect(await (await fetch(new URL('/health', url))).text()).toBe('ok');
  });

  it('protected', async () => {
    const url = await start('protected/main.ts');
    expect((await fetch(url, { method: 'POST' })).status).toBe(401);
    expect(await runProgram(runtime, 'examples/protected/client.ts', url)).toContain('Buy bread.');
  });

  it('host', async () => {
    const said = await runProgram(
      runtime,
      'examples/host/main.ts',
      'The oven is broken',
      await temporaryFile('issues.db'),
    );
    expect(said).toContain('reserve asks: How many guests?');
    expect(said).toMatch(
      /I opened an issue and reserved a table: .*"title":"The oven is broken".*"guests":2/,
    );
  });
}

/** Uses the server of `examples/reserve`, in both eras. */
export async function expectReservations(url: string): Promise<void> {
  for (const revision of REVISIONS) {
    const onElicit = () => ({ action: 'accept', content: { guests: 2 } }) as const;
    await using client = await connect(url, { revision, onElicit });
    const { structuredContent } = await client.callTool('reserve', { name: 'Ada' });
    expect(structuredContent).toEqual({ name: 'Ada', guests: 2 });
  }
}

/** A file in a folder that is removed after the tests. */
async function temporaryFile(name: string): Promise<string> {
  const folder = await mkdtemp(`${tmpdir()}/tenon-examples-`);
  afterTests(() => rm(folder, { recursive: true }));
  return `${folder}/${name}`;
}
