import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { program } from '../programs/program.js';
import { serveRaw } from './connected.js';
import { type Answer, ERAS } from './raw-server.js';

/** Tools by what their calls end with. */
const TOOLS: Record<string, [answer: Answer, end: string]> = {
  succeeds: [ask => ask.text('fine'), 'result'],
  'succeeds in a stream': [ask => ask.stream().event(ask.textMessage('fine')), 'result'],
  'is cut off': [ask => ask.response.destroy(), 'ConnectionError'],
  'is cut off in a stream': [ask => ask.stream().event('{}').response.destroy(), 'ConnectionError'],
  'times out': [() => {}, 'RequestTimeout'],
  'times out in a stream that can be taken up again': [ask => ask.stream().event('', '1'), 'RequestTimeout'],
  'times out while it waits to take up a stream': [
    ask => ask.stream().response.end('id: 1\nretry: 20000\ndata:\n\n'),
    // Only one of the eras takes up streams.
    expect.stringMatching(/^(RequestTimeout|ConnectionError)$/) as unknown as string,
  ],
  'is packed, and breaks off': [
    ask => {
      const bytes = gzipSync(JSON.stringify(ask.textMessage('x'.repeat(10_000))));
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
      ask.send(200, bytes.subarray(0, bytes.length / 2), headers);
    },
    'ConnectionError',
  ],
  'is redirected': [
    ask => ask.send(307, 'x'.repeat(100_000), { location: 'http://127.0.0.2:1' }),
    'HttpError',
  ],
};

/** Runs a client that calls all tools. Returns what that ended with, when the process has ended by itself. */
async function leave(url: string, isClosing: string): Promise<string[]> {
  const path = fileURLToPath(new URL('./fixtures/leaving.ts', import.meta.url));
  const args = [program(path), url, isClosing, ...Object.keys(TOOLS)];
  const child = spawn(process.execPath, args, {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text;
  });
  expect(await once(child, 'close')).toEqual([0, null]);
  return JSON.parse(output);
}

describe.for(ERAS)('after calls to a $era server that ended in every way', ({ serve }) => {
  test.for(['closes', 'does not close'])(
    'nothing keeps the process of a client alive that %s',
    async isClosing => {
      const server = await serveRaw(serve({ 'tools/call': ask => TOOLS[ask.message.params.name]![0](ask) }));
      expect(await leave(server.url, isClosing)).toEqual(Object.values(TOOLS).map(([, end]) => end));
    },
  );
});
