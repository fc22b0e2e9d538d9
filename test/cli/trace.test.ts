import { spawn } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeForeign } from './foreign.js';
import { processesWith } from './processes.js';
import { cleanEnv, ROOT, TENON, tenon } from './run.js';
import { type RunningCommand, start } from './running.js';
import { badProgram, useBistro } from './servers.js';
import { temporaryFolder } from './temporary-folder.js';
import { KEY, Terminal } from './terminal.js';

/** Starts a trace of a URL, and returns the address for clients. */
async function traceUrl(...args: string[]): Promise<{ trace: RunningCommand; address: string }> {
  const trace = start(['trace', '--json', ...args]);
  const address = await trace.line(({ address }) => address as string | undefined);
  return { trace, address };
}

/** A web server that is no MCP server. */
async function serveWeb(listener: RequestListener): Promise<string> {
  const web = createServer(listener);
  await new Promise<void>(listening => web.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    web.closeAllConnections();
    web.close();
  });
  return `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
}

async function readLines(path: string): Promise<any[]> {
  const text = await readFile(path, 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
}

describeForeign(server => {
  const [call = []] = server.calls;

  it('is called through a trace over HTTP, which shows the messages', async () => {
    const { trace, address } = await traceUrl(server.url);
    const direct = await tenon(['call', server.url, ...call]);
    expect(await tenon(['call', address, ...call])).toEqual(direct);
    expect(direct.code).toBe(0);
    const sent = await trace.line(({ message }: any) =>
      message?.method === 'tools/call' ? message : undefined,
    );
    expect(sent.params.name).toBe(call[0]);
    await trace.line(
      ({ from, message }: any) => from === 'server' && message?.id === sent.id && message.result,
    );
    expect(await trace.end()).toBe(130);
  });

  it('is called through a trace over stdio, which records the messages', async () => {
    const file = join(await temporaryFolder(), 'trace.jsonl');
    const traced = [process.execPath, TENON, 'trace', '--stdio', '--record', file, '--', ...server.program];
    const [direct, outcome] = await Promise.all([
      tenon(['call', ...call, '--', ...server.program]),
      tenon(['call', ...call, '--', ...traced]),
    ]);
    expect(outcome).toEqual(direct);
    expect(outcome.code).toBe(0);
    const [header, ...entries] = await readLines(file);
    expect(header).toMatchObject({ tenonTrace: 1, transport: 'stdio', masked: true });
    const { id } = entries.find(({ message }) => message?.method === 'tools/call').message;
    expect(
      entries.find(({ from, message }) => from === 'server' && message?.id === id).message.result,
    ).toBeDefined();
  });
});

describe('tenon trace over HTTP', () => {
  const bistro = useBistro();

  it('shows the messages in a terminal, with their direction, method and summary', async () => {
    const terminal = new Terminal(['trace', bistro.url], { columns: 120 });
    await terminal.sees('Ctrl+C ends it.');
    const [address] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(terminal.text) as RegExpExecArray;
    await tenon(['call', address, 'reserve', '--table', 'window', '--guests', '2', '--name', 'Ada']);
    await terminal.sees('server/discover             2026-07-28 tenon-cli');
    await terminal.sees('tools/call                  reserve table: "window", guests: 2, name: "Ada"');
    await terminal.sees('← ✓ tools/call');
    terminal.type(KEY.ctrlC);
    expect(await terminal.exited).toBe(130);
    expect(terminal.text).toMatch(/^ +\d+\.\d{3} {2}→ {3}tools\/list$/m);
    for (const line of terminal.text.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  });

  it('shows whole messages and headers with --full', async () => {
    let address = '';
    const { stdout } = await tenon(['trace', bistro.url, '--full'], {
      async onStdout(text, kill) {
        const [found] = /http:\/\/127\.0\.0\.1:\d+\/mcp(?= )/.exec(text) ?? [];
        if (!found || address) return;
        address = found;
        await tenon(['list', found, 'tools']);
        kill('SIGINT');
      },
    });
    expect(stdout).toContain('"io.modelcontextprotocol/protocolVersion": "2026-07-28"');
    expect(stdout).toContain('"content-type": "application/json"');
  });

  it('passes events on while they come, not when the response is complete', async () => {
    let release = () => {};
    const origin = await serveWeb((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-own': 'kept' });
      response.write('data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}\n\n');
      release = () => response.end('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
    });
    const { trace, address } = await traceUrl(`${origin}/mcp`);
    const response = await fetch(address, {
      method: 'POST',
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    expect(response.headers.get('x-own')).toBe('kept');
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toContain('progress');
    await trace.line(({ message }: any) => message?.method === 'notifications/progress' || undefined);
    release();
    expect((await reader.read()).value).toContain('result');
  });

  it('gives the server its own host, and its own origin in place of the proxy', async () => {
    const seen: unknown[] = [];
    const origin = await serveWeb(({ headers: { host, origin }, url }, response) => {
      seen.push({ host, origin, url });
      response.end('{}');
    });
    const { address } = await traceUrl(`${origin}/mcp?tenant=1`);
    const proxy = new URL(address);
    await fetch(address, { headers: { origin: proxy.origin } });
    await fetch(`${proxy.origin}/.well-known/oauth-protected-resource`, {
      headers: { origin: 'http://localhost:5173' },
    });
    const { host } = new URL(origin);
    expect(seen).toEqual([
      { host, origin, url: '/mcp?tenant=1' },
      { host, origin: 'http://localhost:5173', url: '/.well-known/oauth-protected-resource' },
    ]);
  });

  it('refuses pages of other sites, because it may add credentials', async () => {
    const { address } = await traceUrl(bistro.url);
    const response = await fetch(address, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
      body: '{}',
    });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('https://evil.example may not use this address');
  });

  it('adds the token that the user gives, and masks it', async () => {
    const seen: unknown[] = [];
    const origin = await serveWeb(({ headers }, response) => {
      seen.push(headers.authorization);
      response.setHeader('set-cookie', 'id=hidden-cookie');
      response.setHeader('mcp-session-id', 'a-rather-long-session-id-of-this-client');
      response.end(
        '{"jsonrpc":"2.0","id":1,"result":{"password":"hunter2-hidden","note":"key sk-abcdefghijklmnopqrstuvwx"}}',
      );
    });
    const file = join(await temporaryFolder(), 'trace.jsonl');
    const { trace, address } = await traceUrl(`${origin}/mcp`, '--bearer', 'very-secret', '--record', file);
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"apiKey":"hidden-key","_x":1}}}';
    const response = await fetch(`${address}?token=hidden-token`, {
      method: 'POST',
      headers: { cookie: 'hidden-cookie', authorization: 'Bearer hidden-bearer' },
      body,
    });
    expect(await response.text()).toContain('hunter2-hidden');
    await trace.line(({ from, message }: any) => (from === 'server' && message) || undefined);
    await trace.end();
    expect(seen).toEqual(['Bearer very-secret']);
    const recorded = await readFile(file, 'utf8');
    for (const text of [recorded, JSON.stringify(trace.lines)]) {
      expect(text).not.toMatch(/hidden|very-secret|sk-abc|a-rather-long/);
      expect(text).toContain('Bearer [masked]');
      expect(text).toContain('a-ra…ient');
    }
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('keeps secrets with --unmasked', async () => {
    const origin = await serveWeb((_, response) =>
      response.end('{"jsonrpc":"2.0","id":1,"result":{"password":"kept"}}'),
    );
    const { trace, address } = await traceUrl(`${origin}/mcp`, '--unmasked');
    await fetch(address, { method: 'POST', body: '{}' });
    await trace.line(({ message }: any) => message?.result?.password === 'kept' || undefined);
  });

  it('never writes over a recording', async () => {
    const folder = await temporaryFolder();
    for (const _ of [1, 2]) {
      const { trace } = await traceUrl(bistro.url, '--record', join(folder, 'trace.jsonl'));
      await trace.end();
    }
    expect((await readdir(folder)).sort()).toEqual(['trace-2.jsonl', 'trace.jsonl']);
  });

  it('says what to do if the server wants a sign-in', async () => {
    const origin = await serveWeb((_, response) =>
      response.writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="https://x.example"' }).end(),
    );
    const { trace, address } = await traceUrl(`${origin}/mcp`);
    const response = await fetch(address, { method: 'POST', body: '{}' });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('https://x.example');
    await trace.end();
    expect(trace.stderr).toContain('--bearer TOKEN');
  });

  it('shows a web page as no message, and passes it on', async () => {
    const origin = await serveWeb((_, response) =>
      response.setHeader('content-type', 'text/html').end('<h1>Hi</h1>'),
    );
    const { trace, address } = await traceUrl(origin);
    expect(await (await fetch(address)).text()).toBe('<h1>Hi</h1>');
    expect(await trace.line(({ text }) => text)).toBe('<h1>Hi</h1>');
  });

  it('answers with 502 for a server that is out of reach, and says why', async () => {
    const { trace, address } = await traceUrl('http://127.0.0.1:9/mcp');
    const response = await fetch(address, { method: 'POST', body: '{}' });
    expect(response.status).toBe(502);
    expect(await response.text()).toContain('cannot reach http://127.0.0.1:9');
    expect(await trace.line(({ end, failed }) => failed && end)).toContain('ECONNREFUSED');
  });

  it('ends the request to the server if the client leaves', async () => {
    let left = () => {};
    const hasLeft = new Promise<void>(resolve => {
      left = resolve;
    });
    const origin = await serveWeb((_, response) => void response.on('close', left));
    const { trace, address } = await traceUrl(origin);
    const controller = new AbortController();
    const request = fetch(address, { signal: controller.signal }).catch(() => {});
    await trace.line(({ request }) => request);
    controller.abort();
    await request;
    await hasLeft;
  });

  it('says so if the port is taken', async () => {
    const origin = await serveWeb(() => {});
    const { code, stdout, stderr } = await tenon(['trace', bistro.url, '--listen', new URL(origin).port]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/cannot listen on port \d+: another program uses it\nnext: Choose another/);
  });

  it('ends with Ctrl+C while a response is open', async () => {
    const origin = await serveWeb(
      (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
    );
    const { trace, address } = await traceUrl(origin);
    const response = await fetch(address);
    expect(await trace.end()).toBe(130);
    await expect(response.text()).rejects.toThrow();
  });

  it.each([
    [['http://127.0.0.1:9', '--stdio'], 'this target is a URL'],
    [['--listen', '--', 'node'], 'cannot be shared at an address'],
    [['--', 'node'], 'a program is traced where a host starts it'],
    [['--stdio', '--json', '--', 'node'], 'there is no --json with --stdio'],
    [['--listen', 'http://127.0.0.1:9'], 'write the target before it'],
    [['http://bistro.example/mcp', '--bearer', 'x'], 'in clear text'],
    [['http://127.0.0.1:9', '--record', '/no/such/folder/t.jsonl'], 'cannot write the recording'],
  ])('refuses %j, with the next step', async (args, message) => {
    const { code, stderr } = await tenon(['trace', ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain('\nnext: ');
  });
});

describe.concurrent('tenon trace over stdio', () => {
  /** Runs a program through a trace, and on its own. */
  const runBoth = (program: string[], input: Buffer) =>
    Promise.all([
      run(program, input),
      run([process.execPath, TENON, 'trace', '--stdio', '--', ...program], input),
    ]);

  it('passes input and output unchanged, byte by byte', async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256));
    const [direct, traced] = await runBoth(['cat'], bytes);
    expect(direct.stdout.equals(bytes)).toBe(true);
    expect(traced.stdout.equals(bytes)).toBe(true);
    expect(traced.code).toBe(0);
  });

  it.each([
    ['exit 7', 7],
    ['kill -9 $$', 137],
  ])('keeps how a program ends: %s', async (script, code) => {
    const { code: now } = await run(
      [process.execPath, TENON, 'trace', '--stdio', '--', 'sh', '-c', script],
      Buffer.alloc(0),
    );
    expect(now).toBe(code);
  });

  it('shows messages and noise on standard error, beside that of the program', async () => {
    const input = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
    const script = 'echo own >&2; echo "starting …"; cat';
    const [, { stderr, stdout }] = await runBoth(['sh', '-c', script], input);
    expect(stdout.toString()).toBe(`starting …\n${input}`);
    expect(stderr).toMatch(/→ {3}tools\/list\n/);
    expect(stderr).toMatch(/← ! no message +starting …\n/);
    expect(stderr).toContain('own\n');
    expect(stderr).toContain('the program ended with code 0');
  });

  it('removes what could control the terminal', async () => {
    const script = `printf '{"jsonrpc":"2.0","id":1,"method":"\\\\u001b[2Jevil","params":{"a":"\\\\u001b]0;x\\\\u0007"}}\\n\\033[31mred\\n'`;
    const [, { stderr }] = await runBoth(['sh', '-c', script], Buffer.alloc(0));
    expect(stderr).toContain('evil');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });

  it('says so if there is no such program', async () => {
    const { code, stderr } = await tenon(['trace', '--stdio', '--', 'no-such-program']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/cannot start "no-such-program": no such command\nnext: /);
  });

  it.each(['silent', 'floods', 'noisy'])('ends with its program when it is interrupted: %s', async way => {
    const mark = `mark-trace-${way}-${process.pid}`;
    const [, ...program] = badProgram(way);
    // A shell between them, as `npx` is one.
    const shell = ['sh', '-c', 'echo started; "$@"; :', 'sh', ...program, mark];
    const child = spawn(process.execPath, [TENON, 'trace', '--stdio', '--', ...shell], {
      cwd: ROOT,
      env: cleanEnv(),
    });
    child.stderr.resume();
    child.stdout.once('data', () => child.kill('SIGINT')).resume();
    expect(await new Promise(resolve => child.on('close', resolve))).toBe(130);
    expect(await processesWith(mark)).toEqual([]);
  });

  it('lists ten thousand tools through it', async () => {
    const [, ...program] = badProgram('large');
    const traced = [process.execPath, TENON, 'trace', '--stdio', '--', ...program];
    const { code, stdout } = await tenon(['list', 'tools', '--', ...traced]);
    expect(code).toBe(0);
    expect(stdout).toContain('Tools (10,000)');
  });
});

async function run(
  [command = '', ...args]: string[],
  input: Buffer,
): Promise<{ code: number | null; stdout: Buffer; stderr: string }> {
  const child = spawn(command, args, { cwd: ROOT, env: cleanEnv() });
  const stdout: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', chunk => stdout.push(chunk));
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text;
  });
  // A program that ends without reading closes its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const code = await new Promise<number | null>(resolve => child.on('close', resolve));
  return { code, stdout: Buffer.concat(stdout), stderr };
}
