import { describe, it } from 'vitest';
import { expectUses } from './client-suite.js';
import { fixture, type Runtime, runProgram, startServer, THIS_NODE } from './program.js';
import { testResuming, testServer } from './server-suite.js';

/**
 * Tests a runtime that runs programs: `tenon/node` and the runtime's own server (a fixture, if there is one), the client
 * over HTTP and stdio, and a server on stdio.
 */
export function testRuntime(runtime: Runtime, ownServer?: string): void {
  describe('a server with tenon/node', () => {
    const start = () => startServer(runtime, fixture('node-server.ts'));
    testServer(start);
    testResuming(start);
  });

  if (ownServer !== undefined) {
    describe('a server with tenon/http', () => {
      const start = () => startServer(runtime, fixture(ownServer));
      testServer(start);
      testResuming(start);
    });
  }

  it('runs the client over HTTP, with input rounds and questions', async () => {
    const url = await startServer(runtime, fixture(ownServer ?? 'node-server.ts'));
    expectUses(JSON.parse(await runProgram(runtime, fixture('client.ts'), url)));
  });

  it.for([
    ['with a server on the same runtime', runtime],
    ['with a server on this Node', THIS_NODE],
  ] as const)('runs the client over stdio, %s', async ([, [command, ...args]]) => {
    const target = JSON.stringify({ command, args: [...args, fixture('stdio-server.ts')] });
    expectUses(JSON.parse(await runProgram(runtime, fixture('client.ts'), target)));
  });

  it('runs a server on stdio for a client on this Node', async () => {
    const [command, ...args] = runtime;
    const target = JSON.stringify({ command, args: [...args, fixture('stdio-server.ts')] });
    expectUses(JSON.parse(await runProgram(THIS_NODE, fixture('client.ts'), target)));
  });
}
