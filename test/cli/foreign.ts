import { afterAll, beforeAll, describe } from 'vitest';
import { EVERYTHING, nodeArgs, startHttp } from '../interop-client/servers/child.js';
import type { Serving } from '../interop-client/servers/serving.js';
import { serveTmcp } from '../interop-client/servers/tmcp-http.js';
import { serveV1 } from '../interop-client/servers/v1-http.js';
import { serveV2 } from '../interop-client/servers/v2-http.js';

/** Servers of other libraries: how each is served over HTTP, its arguments for node over stdio, and a call for it. */
const SERVERS: [string, () => Promise<Serving>, string[], string[]][] = [
  ['the official SDK, version 1', serveV1, nodeArgs('v1-stdio.ts'), ['count', '--text', 'to be']],
  ['the official SDK, version 2', serveV2, nodeArgs('v2-stdio.ts'), ['count', '--text', 'to be']],
  ['fastmcp', () => startHttp('fastmcp-http.ts'), nodeArgs('fastmcp-stdio.ts'), ['count', '--text', 'to be']],
  ['tmcp', serveTmcp, nodeArgs('tmcp-stdio.ts'), ['count', '--text', 'to be']],
  [
    'server-everything',
    () => startHttp(EVERYTHING, 'streamableHttp'),
    [EVERYTHING, 'stdio'],
    ['get-sum', '--a', '2', '--b', '3'],
  ],
];

/** A server of another library for the tests of a file. */
export interface Foreign {
  /** Its address over HTTP. */
  readonly url: string;
  /** The words that start it over stdio, without `--`. */
  readonly program: readonly string[];
  /** A tool that it has, with arguments for `tenon call`. */
  readonly call: readonly [string, ...string[]];
}

/** Describes the same for servers of five libraries. */
export function describeForeign(tests: (server: Foreign) => void): void {
  describe.each(SERVERS)('a server of %s', (_, serve, args, call) => {
    let serving: Serving;
    beforeAll(async () => {
      serving = await serve();
    });
    afterAll(() => serving?.close());
    tests({
      get url() {
        return `${serving.origin}/mcp`;
      },
      program: [process.execPath, ...args],
      call: call as [string, ...string[]],
    });
  });
}
