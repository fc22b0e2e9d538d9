import { afterAll, beforeAll, describe } from 'vitest';
import { EVERYTHING, nodeArgs, startHttp } from '../interop-client/servers/child.js';
import type { Serving } from '../interop-client/servers/serving.js';
import { serveTmcp } from '../interop-client/servers/tmcp-http.js';
import { serveV1 } from '../interop-client/servers/v1-http.js';
import { serveV2 } from '../interop-client/servers/v2-http.js';

/** Calls of a bookshelf: a plain one, and one that asks a question. */
const SHELF_CALLS = [
  ['count', '--text', 'to be'],
  ['order', '--answer', '{"title": "Emma", "copies": 2}'],
];

/** Servers of other libraries: how each is served over HTTP, its arguments for node over stdio, and calls for it. */
const SERVERS: [string, () => Promise<Serving>, string[], string[][]][] = [
  ['the official SDK, version 1', serveV1, nodeArgs('v1-stdio.ts'), SHELF_CALLS],
  ['the official SDK, version 2', serveV2, nodeArgs('v2-stdio.ts'), SHELF_CALLS],
  ['fastmcp', () => startHttp('fastmcp-http.ts'), nodeArgs('fastmcp-stdio.ts'), SHELF_CALLS],
  ['tmcp', serveTmcp, nodeArgs('tmcp-stdio.ts'), SHELF_CALLS],
  [
    'server-everything',
    () => startHttp(EVERYTHING, 'streamableHttp'),
    [EVERYTHING, 'stdio'],
    [['get-sum', '--a', '2', '--b', '3']],
  ],
];

/** A server of another library for the tests of a file. */
export interface Foreign {
  /** Its address over HTTP. */
  readonly url: string;
  /** The words that start it over stdio, without `--`. */
  readonly program: readonly string[];
  /** Tools that it has, with arguments for `tenon call`. */
  readonly calls: readonly (readonly string[])[];
}

/** Describes the same for a server with a handshake and one without, and for all five if FOREIGN_SERVERS is set. */
export function describeForeign(tests: (server: Foreign) => void): void {
  const servers = process.env.FOREIGN_SERVERS ? SERVERS : SERVERS.slice(0, 2);
  describe.each(servers)('a server of %s', (_, serve, args, calls) => {
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
      calls,
    });
  });
}
