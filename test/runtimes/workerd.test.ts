import { describe, it } from 'vitest';
import { expectUses } from './client-suite.js';
import { fixture, runProgram, startServer, THIS_NODE } from './program.js';
import { testServer } from './server-suite.js';
import { startWorker } from './workerd.js';

describe('workerd', () => {
  describe('a server that is created at module scope', () => {
    testServer(async () => `${await startWorker(fixture('worker-server.ts'))}/mcp`);
  });

  describe('a server whose handler is created with the environment of a request', () => {
    testServer(async () => {
      const key = 'a key of at least thirty-two bytes, for tests';
      return `${await startWorker(fixture('worker-env.ts'), { TENON_KEY: key })}/mcp`;
    });
  });

  it('serves the client, with input rounds and questions', async () => {
    const origin = await startWorker(fixture('worker-server.ts'));
    expectUses(JSON.parse(await runProgram(THIS_NODE, fixture('client.ts'), `${origin}/mcp`)));
  });

  it('runs the client, with input rounds and questions', async () => {
    const url = await startServer(THIS_NODE, fixture('node-server.ts'));
    const origin = await startWorker(fixture('worker-client.ts'));
    const response = await fetch(`${origin}/?url=${encodeURIComponent(url)}`);
    expectUses(await response.json());
  });
});
