import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVERYTHING, nodeArgs, startHttp } from '../interop-client/servers/child.js';
import type { Serving } from '../interop-client/servers/serving.js';
import { serveTmcp } from '../interop-client/servers/tmcp-http.js';
import { serveV1 } from '../interop-client/servers/v1-http.js';
import { serveV2 } from '../interop-client/servers/v2-http.js';
import { tenon } from './run.js';

/** Bookshelves, each written with another library: how it is served over HTTP, and the script for stdio. */
const SHELVES: [string, () => Promise<Serving>, string][] = [
  ['the official SDK, version 1', serveV1, 'v1-stdio.ts'],
  ['the official SDK, version 2', serveV2, 'v2-stdio.ts'],
  ['fastmcp', () => startHttp('fastmcp-http.ts'), 'fastmcp-stdio.ts'],
  ['tmcp', serveTmcp, 'tmcp-stdio.ts'],
];

describe.concurrent.each(SHELVES)('a server of %s', (_, serve, stdio) => {
  useShelf('over HTTP', async () => {
    const serving = await serve();
    return { before: [`${serving.origin}/mcp`], after: [], close: () => serving.close() };
  });
  useShelf('over stdio', async () => {
    const after = ['--', process.execPath, ...nodeArgs(stdio)];
    return { before: [], after, close: async () => {} };
  });
});

/** The words of a target: a URL before the others, or a program after them. */
interface Place {
  readonly before: readonly string[];
  readonly after: readonly string[];
  close(): Promise<void>;
}

function useShelf(way: string, open: () => Promise<Place>): void {
  describe(way, () => {
    let place: Place;
    beforeAll(async () => {
      place = await open();
    });
    afterAll(() => place?.close());
    const run = (command: string, ...words: string[]) =>
      tenon([command, ...place.before, ...words, ...place.after]);

    it('is listed, called, asked and read', async () => {
      const [list, count, order, read] = await Promise.all([
        run('list', '--json'),
        run('call', 'count', '--text', 'to be or not to be'),
        run('call', 'order', '--answer', '{"title": "Emma", "copies": 2}'),
        run('read', 'shelf://books/Emma'),
      ]);
      for (const { code, stderr } of [list, count, order, read])
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(list.stdout).tools.length).toBeGreaterThan(5);
      expect(count.stdout).toBe('words  6\n');
      expect(order.stdout).toBe('2 of Emma\n');
      expect(read.stdout).toContain('Emma');
    });
  });
}

describe.concurrent('server-everything', () => {
  let serving: Serving;
  beforeAll(async () => {
    serving = await startHttp(EVERYTHING, 'streamableHttp');
  });
  afterAll(() => serving?.close());

  it.each(['HTTP', 'stdio'])('is listed and called, over %s', async way => {
    const [before, after] =
      way === 'HTTP' ? [[`${serving.origin}/mcp`], []] : [[], ['--', process.execPath, EVERYTHING, 'stdio']];
    const run = (command: string, ...words: string[]) => tenon([command, ...before, ...words, ...after]);
    const [list, sum, structured, picture] = await Promise.all([
      run('list', '--json'),
      run('call', 'get-sum', '--a', '2', '--b', '3.5'),
      run('call', 'get-structured-content', '--location', 'Chicago'),
      run('call', 'get-tiny-image', '--json'),
    ]);
    expect(JSON.parse(list.stdout).server).toMatchObject({
      name: 'mcp-servers/everything',
      revision: '2025-11-25',
    });
    expect(sum.stdout).toContain('5.5');
    expect(structured.stdout).toMatch(/temperature +\d+/);
    expect(JSON.parse(picture.stdout).content).toContainEqual(expect.objectContaining({ type: 'image' }));
  });
});
