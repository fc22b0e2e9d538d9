import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connectRaw, type RawClient } from '../../../test/raw-client.js';
import { UsageError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { ERROR } from '../../protocol/errors.js';
import { Server } from '../server.js';

const REVISIONS = ['2025-11-25', '2026-07-28'];

/** Names that an object used as a map would mix up or put in another order. */
const AWKWARD = ['__proto__', 'constructor', '10', '2', 'toString', 'hasOwnProperty', ' ', 'é'];

describe.each(REVISIONS)('on %s', revision => {
  let server: Server;
  let client: RawClient;

  beforeEach(async () => {
    const capabilities = { tools: {}, prompts: {}, resources: {} };
    server = new Server({ name: 'bistro', version: '1.0.0' }, { pageSize: 2, capabilities });
    server.tool('soup', {}, () => 'Soup');
    client = await connectRaw(server, { revision });
  });

  async function listed(): Promise<string[]> {
    return walk(client, 'tools/list', 'tools');
  }

  async function call(name: string): Promise<unknown> {
    const { content } = await client.request('tools/call', { name });
    return (content as { text: string }[])[0]?.text;
  }

  describe('a registered tool', () => {
    it('can be added while serving', async () => {
      server.tool('pie', {}, () => 'Pie');
      expect(await listed()).toEqual(['soup', 'pie']);
      expect(await call('pie')).toBe('Pie');
    });

    it('can be removed while serving, and its name taken by another', async () => {
      const handle = server.tool('pie', {}, () => 'Pie');
      handle.remove();
      expect(await listed()).toEqual(['soup']);
      await expect(call('pie')).rejects.toMatchObject({ code: ERROR.invalidParams });
      handle.remove();
      server.tool('pie', {}, () => 'Another pie');
      expect(await call('pie')).toBe('Another pie');
    });

    it('can be disabled and enabled, and keeps its place', async () => {
      const handle = server.tool('pie', {}, () => 'Pie');
      server.tool('tea', {}, () => 'Tea');
      expect(handle).toMatchObject({ name: 'pie', enabled: true });
      handle.disable();
      expect(handle.enabled).toBe(false);
      expect(await listed()).toEqual(['soup', 'tea']);
      await expect(call('pie')).rejects.toMatchObject({ message: 'unknown tool: pie' });
      handle.enable();
      expect(await listed()).toEqual(['soup', 'pie', 'tea']);
      expect(await call('pie')).toBe('Pie');
    });

    it('can be replaced, and keeps its place', async () => {
      const handle = server.tool('pie', { description: 'Old' }, () => 'Old pie');
      server.tool('tea', {}, () => 'Tea');
      handle.replace({ description: 'New', input: z.object({}) }, () => 'New pie');
      expect(await listed()).toEqual(['soup', 'pie', 'tea']);
      expect(await call('pie')).toBe('New pie');
      const { tools } = await client.request('tools/list');
      expect((tools as JsonObject[])[1]).toMatchObject({ name: 'pie', description: 'New' });
    });

    it('stays disabled when it is replaced', async () => {
      const handle = server.tool('pie', {}, () => 'Old pie');
      handle.disable();
      handle.replace({}, () => 'New pie');
      expect(await listed()).toEqual(['soup']);
      handle.enable();
      expect(await call('pie')).toBe('New pie');
    });

    it('cannot be changed through its handle once it was removed, even if the name is in use again', async () => {
      const old = server.tool('pie', {}, () => 'Old pie');
      old.remove();
      expect(() => old.replace({}, () => 'Ghost')).toThrow('tool "pie" was removed; register it anew');
      server.tool('pie', {}, () => 'New pie');
      old.disable();
      old.remove();
      expect(() => old.replace({}, () => 'Ghost')).toThrow('tool "pie" was removed; register it anew');
      expect(await call('pie')).toBe('New pie');
    });

    it('finishes a call that was under way when it was removed', async () => {
      let finish = () => {};
      const handle = server.tool(
        'slow',
        {},
        () =>
          new Promise<string>(resolve => {
            finish = () => resolve('Done');
          }),
      );
      const answer = call('slow');
      await new Promise(resolve => setTimeout(resolve, 5));
      handle.remove();
      finish();
      expect(await answer).toBe('Done');
    });
  });

  // covers: 2026-07-28/tools/order-is-deterministic
  it('lists awkward names in the order of registration, and finds them', async () => {
    for (const name of AWKWARD) server.tool(name, {}, () => `I am ${name}`);
    expect(await listed()).toEqual(['soup', ...AWKWARD]);
    for (const name of AWKWARD) expect(await call(name)).toBe(`I am ${name}`);
    await expect(call('valueOf')).rejects.toMatchObject({ code: ERROR.invalidParams });
  });

  it('keeps awkward names of prompts and of their arguments', async () => {
    for (const name of AWKWARD) server.prompt(name, {}, () => name);
    expect(await walk(client, 'prompts/list', 'prompts')).toEqual(AWKWARD);
    for (const name of AWKWARD) {
      expect(await client.request('prompts/get', { name })).toMatchObject({
        messages: [{ content: { text: name } }],
      });
    }
  });

  // covers: 2026-07-28/prompts/list-is-answered, 2026-07-28/resources/list-is-answered
  // covers: 2026-07-28/tools/list-is-answered
  it('answers lists that are empty', async () => {
    const empty = new Server(
      { name: 'empty', version: '1' },
      { capabilities: { tools: {}, prompts: {}, resources: {} } },
    );
    const visitor = await connectRaw(empty, { revision });
    expect((await visitor.request('tools/list')).tools).toEqual([]);
    expect((await visitor.request('prompts/list')).prompts).toEqual([]);
    expect((await visitor.request('resources/list')).resources).toEqual([]);
    expect((await visitor.request('resources/templates/list')).resourceTemplates).toEqual([]);
  });

  describe('a list in pages', () => {
    beforeEach(() => {
      for (const name of ['pie', 'tea', 'jam', 'fig']) server.tool(name, {}, () => name);
    });

    it('has the size that was asked for, and no cursor at its end', async () => {
      const sizes: number[] = [];
      let cursor: unknown;
      do {
        const page = await client.request('tools/list', cursor === undefined ? {} : { cursor });
        sizes.push((page.tools as unknown[]).length);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(sizes).toEqual([2, 2, 1]);
    });

    it('has no cursor if it fits exactly', async () => {
      server.tool('nut', {}, () => 'nut');
      const pages = [await client.request('tools/list')];
      for (let at = 0; at < 2; at++) {
        pages.push(await client.request('tools/list', { cursor: pages.at(-1)?.nextCursor as string }));
      }
      expect(pages.map(page => typeof page.nextCursor)).toEqual(['string', 'string', 'undefined']);
    });

    // covers: 2026-07-28/pagination/cursors-are-stable
    it('goes on where it was, whatever comes and goes meanwhile', async () => {
      const first = await client.request('tools/list');
      expect(namesOf(first.tools)).toEqual(['soup', 'pie']);
      const added = server.tool('nut', {}, () => 'nut');
      server.tool('rye', {}, () => 'rye');
      expect(await walk(client, 'tools/list', 'tools', first.nextCursor)).toEqual([
        'tea',
        'jam',
        'fig',
        'nut',
        'rye',
      ]);
      added.remove();
      expect(await walk(client, 'tools/list', 'tools', first.nextCursor)).toEqual([
        'tea',
        'jam',
        'fig',
        'rye',
      ]);
    });

    it('goes on where it was if the entry before the cursor is gone', async () => {
      const handle = server.tool('nut', {}, () => 'nut');
      const pages = await client.request('tools/list');
      const second = await client.request('tools/list', { cursor: pages.nextCursor as string });
      const third = await client.request('tools/list', { cursor: second.nextCursor as string });
      expect(namesOf(third.tools)).toEqual(['fig', 'nut']);
      handle.remove();
      expect(await walk(client, 'tools/list', 'tools', second.nextCursor)).toEqual(['fig']);
    });

    // covers: 2026-07-28/pagination/invalid-cursor-is-32602
    // covers: 2026-07-28/pagination/invalid-cursors-are-handled
    it.each([
      ['of another list', () => btoa('prompt 1')],
      ['that points before the beginning', () => btoa('tool 0')],
      ['that points behind the end', () => btoa('tool 99')],
      ['with a number that is none', () => btoa('tool NaN')],
      ['with a number without end', () => btoa('tool Infinity')],
      ['with a negative number', () => btoa('tool -1')],
      ['with a fraction', () => btoa('tool 1.5')],
      ['with a number written differently', () => btoa('tool 1e0')],
      ['that is not base64', () => '%'],
      ['that is empty', () => ''],
      ['with text of any script', () => 'é→'],
    ])('refuses a cursor %s', async (_, cursor) => {
      await expect(client.request('tools/list', { cursor: cursor() })).rejects.toMatchObject({
        code: ERROR.invalidParams,
        message: expect.stringContaining('cursor'),
      });
    });

    it('does not repeat a long cursor in full', async () => {
      const refused = client.request('tools/list', { cursor: 'x'.repeat(10_000) });
      await expect(refused).rejects.toSatisfy(error => (error as Error).message.length < 200);
    });
  });

  it('yields each entry exactly once and in order, for any number of entries and size of pages', async () => {
    const counts = fc.record({ entries: fc.nat(25), pageSize: fc.integer({ min: 1, max: 30 }) });
    await fc.assert(
      fc.asyncProperty(counts, async ({ entries, pageSize }) => {
        const many = new Server(
          { name: 'many', version: '1' },
          { pageSize, capabilities: { resources: {} } },
        );
        const uris = Array.from({ length: entries }, (_, at) => `dish://${at}`);
        for (const uri of uris) many.resource(uri, {}, () => uri);
        const visitor = await connectRaw(many, { revision });
        expect(await walk(visitor, 'resources/list', 'resources')).toEqual(uris);
      }),
      { numRuns: 30 },
    );
  });
});

describe('registering', () => {
  const server = new Server({ name: 'bistro', version: '1.0.0' });

  // covers: 2025-11-25/tools/name-is-unique, 2026-07-28/tools/name-is-unique
  it('refuses a name twice, and says what to do', () => {
    server.tool('soup', {}, () => 'Soup');
    server.prompt('soup', {}, () => 'Soup');
    server.resource('soup://one', {}, () => 'Soup');
    server.resource('soup://{n}', {}, () => 'Soup');
    const remedy = "is already registered; use the handle's replace() or remove() first";
    expect(() => server.tool('soup', {}, () => '')).toThrow(`tool "soup" ${remedy}`);
    expect(() => server.prompt('soup', {}, () => '')).toThrow(`prompt "soup" ${remedy}`);
    expect(() => server.resource('soup://one', {}, () => '')).toThrow(`resource "soup://one" ${remedy}`);
    expect(() => server.resource('soup://{n}', {}, () => '')).toThrow(
      `resource template "soup://{n}" ${remedy}`,
    );
  });

  // covers: 2025-11-25/tools/input-schema-is-an-object, 2026-07-28/resources/custom-schemes-follow-rfc-3986
  // covers: 2026-07-28/tools/input-schema-is-an-object
  it('refuses what cannot be served', () => {
    expect(() => server.tool('', {}, () => '')).toThrow('a tool needs a name');
    expect(() => server.prompt('', {}, () => '')).toThrow('a prompt needs a name');
    expect(() => server.resource('no uri', {}, () => '')).toThrow('"no uri" is not a URI');
    expect(() => server.resource('menu://{day', {}, () => '')).toThrow(UsageError);
    expect(() => server.tool('x', { input: { type: 'string' } }, () => '')).toThrow(
      'the input of tool "x" must be an object schema, not "string"',
    );
    // @ts-expect-error: the compiler refuses it, too
    expect(() => server.prompt('x', { input: { type: 'string' } }, () => '')).toThrow(
      'the input of prompt "x" must be an object of strings',
    );
  });

  it('leaves nothing behind when it was refused', () => {
    expect(() => server.tool('late', { input: { type: 'string' } }, () => '')).toThrow();
    expect(() => server.tool('late', {}, () => '')).not.toThrow();
  });

  it('refuses a page size that is not a whole number, or none', () => {
    for (const pageSize of [0, -1, 1.5, Number.NaN]) {
      expect(() => new Server({ name: 'x', version: '1' }, { pageSize })).toThrow(
        `pageSize must be a whole number, 1 or more, but is ${pageSize}`,
      );
    }
  });
});

/** The names of all entries of a list, page by page. */
async function walk(client: RawClient, method: string, list: string, from?: unknown): Promise<string[]> {
  const names: string[] = [];
  let cursor = from;
  do {
    const page = await client.request(method, cursor === undefined ? {} : { cursor });
    names.push(...namesOf(page[list]));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return names;
}

function namesOf(entries: unknown): string[] {
  return (entries as { name: string }[]).map(({ name }) => name);
}
