import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Server } from 'tenon';
import { connect } from 'tenon/client';
import { listen, type RunningHttpServer } from 'tenon/node';
import { skills } from 'tenon/skills';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createBistro } from '../../examples/bistro/server.js';
import { ROOT } from '../architecture/sources.js';
import { cleanEnv, TENON } from '../cli/run.js';
import { freshKeys } from '../keys.js';
import { codeBlocks, markdownFiles } from './blocks.js';

const SKILLS = `${ROOT}/test/conformance/fixture/skill-folder`;
/** Other tests run these: they install packages, need a task, a store, or a protected server, or are called by a client. */
const RUN_ELSEWHERE = /\btenon (?:init|tasks)\b|--worker\b|mcp\.example\.com/;
const PAGES_ELSEWHERE = new Set(['docs/deploy.md']);
/** Commands that go on until Ctrl+C. */
const SERVES = /\btenon (?:dev|serve|open|listen|trace(?! --stdio))\b/;

const pages = markdownFiles('docs/*.md')
  .filter(page => !PAGES_ELSEWHERE.has(page))
  .flatMap(page => {
    const blocks = codeBlocks(page).filter(({ language }) => language === 'sh');
    const lines = blocks.flatMap(({ code }) => code.split('\n')).filter(line => !RUN_ELSEWHERE.test(line));
    const tenon = lines.filter(line => /^(?:\w+=\S+ )?tenon /.test(line));
    return tenon.length > 0 ? [[page, tenon] as const] : [];
  });

let root: string;
let running: RunningHttpServer[];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tenon-lines-'));
  const servers = [createBistro(), createTables(), createShop()];
  running = await Promise.all(servers.map(server => listen(server, { port: 0, keys: freshKeys() })));
});

afterAll(async () => {
  await Promise.all(running.map(({ close }) => close(0)));
  await rm(root, { recursive: true });
});

it.concurrent.each(pages)('%s has lines for tenon that work', async (page, lines) => {
  const folder = join(root, basename(page));
  await fill(folder);
  const env = { ...cleanEnv(folder), PATH: join(folder, 'bin'), PORT: '0' };
  for (const line of lines) {
    const command = here(line, folder);
    if (SERVES.test(line)) await interrupt(command, folder, env);
    else await finish(command, folder, env);
  }
});

/** The line for this machine: names and ports of the documentation stand for servers of these tests. */
function here(line: string, folder: string): string {
  const [bistro = '', tables = '', shop = ''] = running.map(({ url }) => url);
  const names: [string | RegExp, string][] = [
    [/(?<=^tenon call )\S+(?= reserve)/, tables],
    [/https:\/\/(?:bistro|staging)\.example\/mcp/, bistro],
    ['https://shop.example/mcp', shop],
    [/(?<=--port |--listen )\d+/, '0'],
    ['0.0.0.0', '127.0.0.1'],
    ['TENON_KEYS=…', `TENON_KEYS=${'k'.repeat(43)}`],
    ['/tmp/', `${folder}/`],
    [/\btenon(?= )/, `exec "${process.execPath}" "${TENON}"`],
  ];
  return names.reduce((text, [name, value]) => text.replace(name, () => value), line);
}

/** A home whose hosts know the bistro, with the programs and files that the documentation names. */
async function fill(folder: string): Promise<void> {
  const bistro = running[0]?.url;
  const files = {
    '.cursor/mcp.json': JSON.stringify({ mcpServers: { bistro: { url: bistro } } }),
    'package.json': '{ "type": "module" }',
    'reservation.json': '{ "guests": 2 }',
    'server.js': `import '${ROOT}/node_modules/tsx/dist/loader.mjs';\nawait import('${ROOT}/examples/bistro/stdio.ts');\n`,
    'src/server.ts': `export { default } from '${ROOT}/examples/bistro/app.ts';\n`,
    'bin/npx': `#!/bin/sh\nexec node "${folder}/server.js"\n`,
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content, { mode: 0o755 });
  }
  await symlink(process.execPath, join(folder, 'bin/node'));
  for (const scripts of ['.local/share/bash-completion/completions', '.zfunc', '.config/fish/completions'])
    await mkdir(join(folder, scripts), { recursive: true });
  await cp(SKILLS, join(folder, 'skills'), { recursive: true });
  const snapshot = [TENON, 'snapshot', `${bistro}`, '-o', 'surface.json'];
  await promisify(execFile)(process.execPath, snapshot, { cwd: folder, env: cleanEnv(folder) });
}

async function finish(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const finished = promisify(execFile)('/bin/bash', ['-ec', command], { cwd, env });
  // `tenon trace --stdio` ends with its input.
  finished.child.stdin?.end();
  await finished;
}

/** Runs a command until it says that it goes on, and ends it. A client lists the tools of each proxy. */
async function interrupt(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn('/bin/bash', ['-ec', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  let printed = '';
  const isReady = new Promise<void>(resolve => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', text => {
        printed += text;
        if (/Ctrl\+C|"message":"listening"/.test(printed)) resolve();
      });
  });
  await Promise.race([isReady, ended]);
  const [, proxy] = /(\S+) +stands for /.exec(printed) ?? [];
  if (proxy) {
    const client = await connect(proxy);
    await client.tools();
    await client.close();
  }
  child.kill('SIGINT');
  const [code] = await ended;
  expect([0, 130], `${command}\n${printed}`).toContain(code);
}

/** The tool that the documentation calls with arguments of every kind. */
function createTables(): Server {
  const server = new Server({ name: 'tables', version: '1.0.0' });
  const input = z.object({
    restaurant: z.string().optional(),
    guests: z.number(),
    wine: z.object({ colour: z.string() }).optional(),
    dish: z.array(z.string()).optional(),
    outside: z.boolean().optional(),
  });
  server.tool('reserve', { input }, ({ guests }) => `A table for ${guests}`);
  return server;
}

function createShop(): Server {
  return new Server({ name: 'shop', version: '1.0.0' }, { extensions: [skills(SKILLS)] });
}
