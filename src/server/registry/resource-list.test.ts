import { describe, expect, it } from 'vitest';
import { connectRaw, type RawClientOptions } from '../../../test/raw-client.js';
import type { Caller } from '../../protocol/caller.js';
import { ERROR, invalidParams } from '../../protocol/errors.js';
import type { Resource } from '../../protocol/resources.js';
import { REVISIONS } from '../../revisions/index.js';
import { Server } from '../server.js';
import type { ServerOptions } from '../server-options.js';

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];

function createServer(options: ServerOptions = {}) {
  const reported: string[] = [];
  const onError = (error: unknown, where: string) => reported.push(`${where}: ${(error as Error).message}`);
  return { server: new Server({ name: 'bistro', version: '1.0.0' }, { onError, ...options }), reported };
}

/** The URIs on each page, from the first to the last. */
async function pages(server: Server, options?: RawClientOptions): Promise<string[][]> {
  const client = await connectRaw(server, options);
  const found: string[][] = [];
  let cursor: unknown;
  do {
    const page = await client.request('resources/list', cursor === undefined ? {} : { cursor });
    found.push((page.resources as Resource[]).map(({ uri }) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

describe.each(REVISIONS.map(({ name }) => name))('the members of a template on %s', revision => {
  it('are listed after the registered resources, with what they say of themselves', async () => {
    const { server, reported } = createServer();
    server.resource(
      'menu://{day}',
      {
        mimeType: 'text/plain',
        list: () => ['menu://monday', { uri: 'menu://tuesday', name: 'Tuesday', size: 3 }],
      },
      ({ day }) => day,
    );
    server.resource('wine://red', { name: 'Red' }, () => 'red');
    const client = await connectRaw(server, { revision });
    expect((await client.request('resources/list')).resources).toEqual([
      { uri: 'wine://red', name: 'Red' },
      { uri: 'menu://monday', name: 'menu://monday', mimeType: 'text/plain' },
      { uri: 'menu://tuesday', name: 'Tuesday', mimeType: 'text/plain', size: 3 },
    ]);
    const read = await client.request('resources/read', { uri: 'menu://monday' });
    expect(read.contents).toMatchObject([{ text: 'monday' }]);
    expect(reported).toEqual([]);
  });

  it('are told to the function that lists them with the request', async () => {
    const { server } = createServer();
    server.resource('menu://{day}', { list: ctx => [`menu://${ctx.revision}`] }, () => '');
    expect(await pages(server, { revision })).toEqual([[`menu://${revision}`]]);
  });

  it('go on over pages, through registered ones and several templates', async () => {
    const { server } = createServer({ pageSize: 2 });
    for (const kind of ['red', 'white', 'rosé']) server.resource(`wine://${encodeURI(kind)}`, {}, () => kind);
    server.resource('menu://{day}', { list: () => DAYS.map(day => `menu://${day}`) }, () => '');
    server.resource('table://{number}', {}, () => '');
    server.resource('guest://{name}', { list: async () => ['guest://ada'] }, () => '');
    expect(await pages(server, { revision })).toEqual([
      ['wine://red', 'wine://white'],
      ['wine://ros%C3%A9', 'menu://monday'],
      ['menu://tuesday', 'menu://wednesday'],
      ['menu://thursday', 'menu://friday'],
      ['guest://ada'],
    ]);
  });

  it('follow the cursors of the author, whatever is in them', async () => {
    const { server } = createServer({ pageSize: 3 });
    const asked: (string | undefined)[] = [];
    const list = ({ cursor }: { cursor: string | undefined }) => {
      asked.push(cursor);
      if (cursor === undefined)
        return { resources: ['menu://monday'], nextCursor: 'nächste "Seite" 🍲\ud800' };
      return { resources: DAYS.slice(1).map(day => `menu://${day}`) };
    };
    server.resource('menu://{day}', { list }, () => '');
    expect(await pages(server, { revision })).toEqual([
      ['menu://monday'],
      ['menu://tuesday', 'menu://wednesday', 'menu://thursday'],
      ['menu://friday'],
    ]);
    expect(asked).toEqual([undefined, 'nächste "Seite" 🍲\ud800', 'nächste "Seite" 🍲\ud800']);
  });
});

describe('members that another entry serves', () => {
  it('are not listed twice', async () => {
    const { server, reported } = createServer();
    server.resource('menu://monday', { name: 'Monday' }, () => '');
    server.resource('menu://{day}', { list: () => ['menu://monday', 'menu://tuesday'] }, () => '');
    server.resource('menu://{when}', { list: () => ['menu://tuesday', 'menu://friday'] }, () => '');
    expect(await pages(server)).toEqual([['menu://monday', 'menu://tuesday']]);
    expect(reported).toEqual([]);
  });

  it('stay hidden if those are', async () => {
    const { server } = createServer();
    const scopes = ['chef'];
    server.resource('menu://secret', { hidden: 'unless-allowed', scopes }, () => '');
    server.resource('menu://{day}', { list: () => ['menu://secret', 'menu://friday'] }, () => '');
    expect(await pages(server)).toEqual([['menu://friday']]);
  });
});

describe('members of a template that not everybody may use', () => {
  const as = (caller: Caller): RawClientOptions => ({ authenticate: () => caller });
  const chef: Caller = { principal: 'chef', scopes: ['kitchen'] };
  const guest: Caller = { principal: 'guest', scopes: [] };

  it('are listed for all if it is not hidden', async () => {
    const { server } = createServer();
    server.resource('menu://{day}', { scopes: ['kitchen'], list: () => ['menu://monday'] }, () => '');
    expect(await pages(server, as(guest))).toEqual([['menu://monday']]);
  });

  it('are listed for those who have its scopes if it is hidden, and for others nobody looks for them', async () => {
    const { server } = createServer();
    let lists = 0;
    const list = () => {
      lists++;
      return ['menu://monday'];
    };
    server.resource('menu://{day}', { scopes: ['kitchen'], hidden: 'unless-allowed', list }, () => '');
    expect(await pages(server, as(guest))).toEqual([[]]);
    expect(lists).toBe(0);
    expect(await pages(server, as(chef))).toEqual([['menu://monday']]);
  });

  it('are each held against the rule of the author', async () => {
    const { server } = createServer();
    server.resource(
      'menu://{day}',
      {
        hidden: 'unless-allowed',
        authorize: ({ caller, target }) => caller?.principal === 'chef' || target === 'menu://monday',
        list: () => DAYS.map(day => `menu://${day}`),
      },
      () => '',
    );
    expect(await pages(server, as(guest))).toEqual([['menu://monday']]);
    expect(await pages(server, as(chef))).toEqual([DAYS.map(day => `menu://${day}`)]);
  });

  it('are not shared by caches, which cannot know for whom they were listed', async () => {
    const { server } = createServer({ cacheHints: { resources: { ttlMs: 1000, cacheScope: 'public' } } });
    server.resource('menu://{day}', { list: () => ['menu://monday'] }, () => '');
    const page = await (await connectRaw(server)).request('resources/list');
    expect(page).toMatchObject({ ttlMs: 1000, cacheScope: 'private' });
  });
});

describe('a list that is not right', () => {
  const where = 'the list of resource "menu://{day}"';

  async function list(returned: () => unknown) {
    const { server, reported } = createServer();
    server.resource('wine://red', {}, () => '');
    server.resource('menu://{day}', { list: returned as never }, () => '');
    server.resource('guest://{name}', { list: () => ['guest://ada'] }, () => '');
    return { found: await pages(server), reported };
  }

  it.each([
    ['a URI of another kind', 'dish://soup', '"dish://soup" does not fit the template'],
    ['a URI that leaves its folder', 'menu://..', '"menu://.." does not fit the template'],
    ['nothing', null, 'a member needs a uri, unlike null'],
    ['no URI', { name: 'Soup' }, 'a member needs a uri, unlike an object'],
    ['a name that is no text', { uri: 'menu://x', name: 5 }, 'the name of "menu://x" must be a text'],
    ['listed twice', 'menu://monday', '"menu://monday" is listed twice'],
    [
      'a size that is no number of bytes',
      { uri: 'menu://x', size: 'big' },
      '"menu://x" is a resource whose size is not a whole number of bytes',
    ],
    [
      'annotated with an unknown audience',
      { uri: 'menu://x', annotations: { audience: ['robot'] } },
      '"menu://x" is a resource whose audience is not a list of "user" and "assistant"',
    ],
  ])('leaves out a member that is %s, and says so', async (_, member, problem) => {
    const { found, reported } = await list(() => [member, 'menu://monday']);
    expect(found).toEqual([['wine://red', 'menu://monday', 'guest://ada']]);
    expect(reported).toEqual([`${where}: ${where}: ${problem}`]);
  });

  it('is reported once for all its members', async () => {
    const { reported } = await list(() => ['a://1', 'a://2', 'a://3']);
    expect(reported).toEqual([`${where}: ${where}: "a://1" does not fit the template (and 2 more)`]);
  });

  async function fail(returned: () => unknown): Promise<string[]> {
    const { server, reported } = createServer();
    server.resource('wine://red', {}, () => '');
    server.resource('menu://{day}', { list: returned as never }, () => '');
    await expect(pages(server)).rejects.toMatchObject({ code: ERROR.internal, message: 'internal error' });
    return reported;
  }

  it.each([
    ['a text', 'menu://monday'],
    ['nothing', undefined],
    ['no list', { resources: 5 }],
    ['a cursor that is no text', { resources: [], nextCursor: 5 }],
  ])('because it is %s fails the request, and is reported', async (_, returned) => {
    expect(await fail(() => returned)).toEqual([
      `resources/list: ${where} must return a list of resources, or { resources, nextCursor }`,
    ]);
  });

  // covers: 2025-06-18/resources/internal-error, 2026-07-28/resources/internal-errors-are-32603
  it.each([
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('because it %s fails the request, since the list would look complete', async (_, failing) => {
    expect(await fail(failing)).toEqual(['resources/list: disk full']);
  });

  it('that would never end fails', async () => {
    expect(await fail(() => ({ resources: ['menu://monday'], nextCursor: 'again' }))).toEqual([
      `resources/list: ${where} returned the cursor that it was given, which would never end`,
    ]);
  });

  it('cannot be asked for with a cursor that nobody made, or that the author refuses', async () => {
    const { server } = createServer();
    const list = ({ cursor }: { cursor: string | undefined }) => {
      if (cursor === undefined) return { resources: [], nextCursor: 'next' };
      throw invalidParams('there is no such page');
    };
    server.resource('menu://{day}', { list }, () => '');
    const client = await connectRaw(server);
    const { nextCursor } = await client.request('resources/list');
    for (const cursor of [
      nextCursor,
      'x',
      '',
      btoa('[]'),
      btoa('["members",-1,0,null]'),
      btoa('["members",1,0,5]'),
    ]) {
      await expect(client.request('resources/list', { cursor })).rejects.toMatchObject({
        code: ERROR.invalidParams,
      });
    }
  });

  it('of a template that is gone ends there', async () => {
    const { server } = createServer({ pageSize: 1 });
    const handle = server.resource('menu://{day}', { list: () => ['menu://1', 'menu://2'] }, () => '');
    const client = await connectRaw(server);
    const { nextCursor } = await client.request('resources/list');
    handle.remove();
    expect((await client.request('resources/list', { cursor: nextCursor })).resources).toEqual([]);
  });

  it('belongs to templates only', () => {
    const { server } = createServer();
    expect(() => server.resource('menu://today', { list: () => [] }, () => '')).toThrow(
      'resource "menu://today" is a single resource; only a template can have a list',
    );
    expect(() => server.resource('menu://{day}', { list: [] as never }, () => '')).toThrow(
      'list of resource "menu://{day}" must be a function, not an array',
    );
  });
});
