import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import { connectTest, type TestClient } from '../../testing/index.js';
import { Server } from '../server.js';

const REVISIONS = ['2025-11-25', '2026-07-28'];

describe.each(REVISIONS)('a resource on %s', revision => {
  async function connect(
    register: (server: Server) => void,
    onError = (_: unknown) => {},
  ): Promise<TestClient> {
    const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError });
    register(server);
    return connectTest(server, { revision });
  }

  async function read(register: (server: Server) => void, uri = 'menu://today'): Promise<JsonObject> {
    return (await connect(register)).request('resources/read', { uri });
  }

  const blob = btoa('\0\xff');
  const bytes = new Uint8Array([0, 255]);

  // covers: 2026-07-28/resources/binary-is-encoded
  it.each([
    ['text', 'Soup', [{ uri: 'menu://today', mimeType: 'text/plain', text: 'Soup' }]],
    ['empty text', '', [{ uri: 'menu://today', mimeType: 'text/plain', text: '' }]],
    ['bytes', bytes, [{ uri: 'menu://today', mimeType: 'text/plain', blob }]],
    [
      'a text of its own type',
      { text: '# Soup', mimeType: 'text/markdown' },
      [{ uri: 'menu://today', mimeType: 'text/markdown', text: '# Soup' }],
    ],
    ['bytes in Base64', { blob }, [{ uri: 'menu://today', mimeType: 'text/plain', blob }]],
    [
      'bytes of its own type',
      { blob: bytes, mimeType: 'image/png' },
      [{ uri: 'menu://today', mimeType: 'image/png', blob }],
    ],
    [
      'several contents',
      [{ text: 'a', uri: 'menu://a' }, { text: 'b' }],
      [
        { uri: 'menu://a', mimeType: 'text/plain', text: 'a' },
        { uri: 'menu://today', mimeType: 'text/plain', text: 'b' },
      ],
    ],
    ['no contents', [], []],
    [
      'a full result',
      { contents: [{ text: 'Soup' }] },
      [{ uri: 'menu://today', mimeType: 'text/plain', text: 'Soup' }],
    ],
  ])('may return %s', async (_, returned, contents) => {
    const result = await read(server =>
      server.resource('menu://today', { mimeType: 'text/plain' }, () => returned),
    );
    expect(result.contents).toEqual(contents);
  });

  it('does not claim a type that the author did not give', async () => {
    const { contents } = await read(server => server.resource('menu://today', {}, async () => 'Soup'));
    expect(contents).toEqual([{ uri: 'menu://today', text: 'Soup' }]);
  });

  it('is told which of its URIs is read', async () => {
    const { contents } = await read(
      server => server.resource('menu://{day}', {}, (_, ctx) => ctx.uri),
      'menu://friday',
    );
    expect(contents).toEqual([{ uri: 'menu://friday', text: 'menu://friday' }]);
  });

  // covers: 2026-07-28/resources/internal-errors-are-32603
  it.each([
    ['something that is no content', () => 5 as never],
    [
      'an error',
      () => {
        throw new Error('the password is 1234');
      },
    ],
  ])('answers %s with an internal error, and reports it', async (_, handler) => {
    const reported: unknown[] = [];
    const client = await connect(
      server => server.resource('menu://today', {}, handler),
      error => reported.push(error),
    );
    await expect(client.request('resources/read', { uri: 'menu://today' })).rejects.toMatchObject({
      code: ERROR.internal,
      message: 'internal error',
    });
    expect(reported).toHaveLength(1);
  });

  it('passes on an McpError as it is', async () => {
    const refused = read(server =>
      server.resource('menu://today', {}, () => {
        throw new McpError(1234, 'not for you');
      }),
    );
    await expect(refused).rejects.toMatchObject({ code: 1234, message: 'not for you' });
  });

  it('is listed by its name, its title, or its URI', async () => {
    const client = await connect(server => {
      server.resource('a://1', { name: 'name', title: 'Title' }, () => '');
      server.resource('a://2', { title: 'Title' }, () => '');
      server.resource('a://3', {}, () => '');
      server.resource('a://{x}', {}, () => '');
    });
    const { resources } = await client.request('resources/list');
    expect(resources).toEqual([
      { uri: 'a://1', name: 'name', title: 'Title' },
      { uri: 'a://2', name: 'Title', title: 'Title' },
      { uri: 'a://3', name: 'a://3' },
    ]);
    const { resourceTemplates } = await client.request('resources/templates/list');
    expect(resourceTemplates).toEqual([{ uriTemplate: 'a://{x}', name: 'a://{x}' }]);
  });

  describe('with a template', () => {
    it('gets the variables of the URI, decoded', async () => {
      const register = (server: Server) =>
        server.resource('menu://{day}{?page,tags*}', {}, variables => JSON.stringify(variables));
      const text = async (uri: string) =>
        JSON.parse(((await read(register, uri)).contents as { text: string }[])[0]?.text as string);
      expect(await text('menu://caf%C3%A9?page=2')).toEqual({ day: 'café', page: '2' });
      expect(await text('menu://friday?tags=a&tags=b')).toEqual({ day: 'friday', tags: ['a', 'b'] });
    });

    it('comes after an exact URI, and the first that fits wins', async () => {
      const client = await connect(server => {
        server.resource('menu://{first}', {}, () => 'first');
        server.resource('menu://{second}', {}, () => 'second');
        server.resource('menu://today', {}, () => 'exact');
      });
      const read = async (uri: string) =>
        ((await client.request('resources/read', { uri })).contents as { text: string }[])[0]?.text;
      expect(await read('menu://today')).toBe('exact');
      expect(await read('menu://friday')).toBe('first');
    });

    it('gives way to the next one while it is disabled', async () => {
      let disable = () => {};
      const client = await connect(server => {
        disable = server.resource('menu://{first}', {}, () => 'first').disable;
        server.resource('menu://{second}', {}, () => 'second');
      });
      disable();
      expect(await client.request('resources/read', { uri: 'menu://friday' })).toMatchObject({
        contents: [{ text: 'second' }],
      });
    });

    // covers: 2026-07-28/resources/paths-are-sanitized, 2026-07-28/resources/uris-are-validated
    it.each([
      'file:///..',
      'file:///..%2Fsecret',
      'file:///a%2Fb',
      'file:///%2e%2e',
      'file:///a%00b',
      'file:///..%5Csecret',
    ])('never hands over the value of %s, which would leave its folder', async uri => {
      const seen: unknown[] = [];
      const refused = read(
        server =>
          server.resource('file:///{name}', {}, ({ name }) => {
            seen.push(name);
            return name;
          }),
        uri,
      );
      await expect(refused).rejects.toMatchObject({ data: { uri } });
      expect(seen).toEqual([]);
    });

    it('hands over such values to an author who asked for them', async () => {
      const { contents } = await read(
        server => server.resource('key:///{name}', { allowEscapes: true }, ({ name }) => name),
        'key:///..%2Fa%2Fb',
      );
      expect(contents).toMatchObject([{ text: '../a/b' }]);
    });
  });
});
