import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connect } from 'tenon/client';
import { textOf } from 'tenon/testing';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createProject } from './programs.js';
import { startProgram } from './start-program.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = await readFile(`${root}/README.md`, 'utf8');
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});

/** The code blocks of a language, in order. */
function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(
    match => match[1] as string,
  );
}

describe('the README', () => {
  it('shows curl lines that call a tool in 2026-07-28 and in 2025-06-18', async () => {
    const url = await startProgram('examples/bistro/main.ts', { PORT: '0' });
    const [modern, legacy] = blocks('sh').filter(block => block.includes('curl'));
    for (const [script, marker] of [
      [modern, '"resultType":"complete"'],
      [legacy, '"id":2'],
    ] as const) {
      const here = (script as string).replaceAll('http://127.0.0.1:3000/mcp', url);
      const { stdout } = await promisify(execFile)('bash', ['-ec', here]);
      expect(stdout).toContain(marker);
      expect(JSON.parse(stdout).result.structuredContent.tables).not.toHaveLength(0);
    }
  });

  it('starts the demo server, and a page to try it, with `npm start`', async () => {
    const { scripts } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'));
    const [, program] = /&& node (.*)$/.exec(scripts.start) ?? [];
    const child = spawn(process.execPath, [...(program as string).split(' '), '--json'], {
      cwd: root,
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    let printed = '';
    child.stdout?.on('data', chunk => {
      printed += chunk;
    });
    await expect.poll(() => printed).toContain('"page"');
    const line = printed.split('\n').find(text => text.includes('"page"')) as string;
    const { url, page } = JSON.parse(line);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    expect((await fetch(page)).headers.get('content-type')).toContain('text/html');
  });

  it('shows lines of the command line that work', async () => {
    const url = await startProgram('examples/bistro/main.ts', { PORT: '0' });
    const script = blocks('sh').find(block => block.includes('npx tenon list')) as string;
    const here = script
      .replaceAll('npx tenon', `"${process.execPath}" dist/cli/main.js`)
      .replaceAll('http://127.0.0.1:3000/mcp', url)
      .replaceAll('node server.js', `"${process.execPath}" --import tsx examples/bistro/stdio.ts`);
    const { stdout } = await promisify(execFile)('bash', ['-ec', here], { cwd: root });
    for (const part of ['Tools (11)', 'Bon appétit!', 'fireplace']) expect(stdout).toContain(part);
  });

  it('begins with a server that asks its user, in lines that fit on a page', async () => {
    const [first = ''] = blocks('ts');
    expect(first.split('\n').filter(line => line.length > 90)).toEqual([]);
    const address = /await listen\(.*\); \/\/ (.*)$/m.exec(first)?.[1] ?? '';
    const port = `port: ${new URL(address).port}`;
    expect(first).toContain(`${port} });`);
    const folder = await mkdtemp(join(tmpdir(), 'tenon-ten-lines-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await createProject(folder);
    await writeFile(`${folder}/server.ts`, first.replace(`${port} }`, 'port: 0 }'));
    const url = await startProgram(`${folder}/server.ts`, {}, [`${folder}/surroundings/listening.ts`]);
    expect(new URL(url).pathname).toBe(new URL(address).pathname);
    const client = await connect(url, { onElicit: () => ({ action: 'accept', content: { guests: 2 } }) });
    const result = await client.callTool('reserve', { restaurant: 'Chez Nous' });
    await client.close();
    expect(textOf(result)).toBe('Chez Nous: table for 2');
    const none = await connect(url, { onElicit: () => ({ action: 'decline' }) });
    expect(textOf(await none.callTool('reserve', { restaurant: 'Chez Nous' }))).toBe('No table reserved');
    await none.close();
    const old = await connect(url, { revision: '2025-03-26' });
    const refused = await old.callTool('reserve', { restaurant: 'Chez Nous' });
    await old.close();
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain('revision 2025-03-26, which this client speaks, has no elicitation');
  });

  it('shows a server and a client that run as they stand there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tenon-snippet-'));
    await createProject(folder);
    try {
      const [server] = blocks('ts').filter(block => block.includes('server.prompt('));
      await writeFile(`${folder}/server.ts`, (server as string).replace('port: 3000', 'port: 0'));
      const url = await startProgram(`${folder}/server.ts`);
      const answer = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/list',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/list',
          params: {
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        }),
      });
      expect(await answer.json()).toMatchObject({ result: { tools: [{ name: 'reserve' }] } });

      const [client] = blocks('ts').filter(block => block.includes('connect('));
      await writeFile(`${folder}/client.ts`, (client as string).replace('http://127.0.0.1:3000/mcp', url));
      const run = promisify(execFile)(process.execPath, ['--import', 'tsx', `${folder}/client.ts`]);
      const { stdout } = await run;
      expect(stdout).toContain('2026-07-28 bistro');
      expect(stdout).toContain("{ id: 'Chez Nous-17', guests: 2 }");
      expect(stdout).toContain("text: 'Soup on friday'");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
