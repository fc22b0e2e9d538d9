import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { toModelTools } from '../../src/client/models/index.js';
import { type ClientGroup, ConnectionError, connect, connectAll } from '../../src/node/client/index.js';
import { visibleTo } from '../../src/server/apps/index.js';
import { Server } from '../../src/server/index.js';

const LONG = 'a-very-long-name-that-somebody-gave-to-a-tool-because-long-names-say-more';
const PICTURE = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' } as const;

function files(): Server {
  const server = new Server({ name: 'files', version: '1.0.0' });
  server.tool('read', { input: z.object({ path: z.string() }) }, ({ path }) => `files read ${path}`);
  server.tool(`${LONG}-1`, {}, () => 'first');
  server.tool(`${LONG}-2`, {}, () => 'second');
  server.tool('show.picture', {}, () => [{ type: 'text', text: 'Here:' }, PICTURE]);
  server.tool('hear', {}, () => [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }]);
  server.tool('fail', {}, (_, ctx) => ctx.error('The disk is full.'));
  server.tool('nothing', {}, () => []);
  return server;
}

function notes(): Server {
  const server = new Server({ name: 'notes', version: '1.0.0' });
  server.tool('read', { input: z.object({ id: z.number() }) }, ({ id }) => `notes read ${id}`);
  return server;
}

let group: ClientGroup;
beforeAll(async () => {
  group = await connectAll({ files: files(), notes: notes() });
});
afterAll(() => group.close());

describe('tools of several servers', () => {
  it('are called on the right server', async () => {
    const tools = await toModelTools(group, { format: 'anthropic' });
    const read = async (name: string, input: object) => (await tools.call({ id: '1', name, input })).content;
    expect(await read('files__read', { path: 'menu.txt' })).toEqual([
      { type: 'text', text: 'files read menu.txt' },
    ]);
    expect(await read('notes__read', { id: 7 })).toEqual([{ type: 'text', text: 'notes read 7' }]);
  });

  it('have names that every vendor takes, the same each time and each their own', async () => {
    const names = async () =>
      (await toModelTools(group, { format: 'openai' })).definitions.map(({ name }) => name);
    const given = await names();
    expect(new Set(given).size).toBe(8);
    for (const name of given) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
    expect(await names()).toEqual(given);
  });

  it('are found by the names that were made for them', async () => {
    const tools = await toModelTools(group, { format: 'openai' });
    const outputs = await Promise.all(
      tools.definitions
        .filter(({ name }) => name.startsWith('files__a_very_long'))
        .map(async ({ name }) => (await tools.call({ call_id: '1', name, arguments: '' })).output),
    );
    expect(outputs).toEqual(['first', 'second']);
  });

  it('can be chosen', async () => {
    const tools = await toModelTools(group, {
      format: 'gemini',
      select: ({ name }) => name.endsWith('read'),
    });
    const [{ functionDeclarations } = { functionDeclarations: [] }] = tools.definitions;
    expect(functionDeclarations.map(({ name }) => name)).toEqual(['files__read', 'notes__read']);
  });

  // covers: apps/tools-of-pages-are-hidden
  it('are not for the model if they are for pages only, whatever is chosen', async () => {
    const server = new Server({ name: 'board', version: '1.0.0' });
    server.tool('show', { ui: visibleTo('model', 'app') }, () => 'shown');
    server.tool('clear', { ui: visibleTo('model') }, () => 'cleared');
    server.tool('move', { ui: visibleTo('app') }, () => 'moved');
    server.tool('odd', { meta: { ui: { visibility: 'app' } } }, () => 'odd');
    const client = await connect(server);
    onTestFinished(() => client.close());
    const tools = await toModelTools(client, { format: 'anthropic', select: () => true });
    expect(tools.definitions.map(({ name }) => name)).toEqual(['show', 'clear']);
    const { problem } = tools.resolve({ id: '1', name: 'move', input: {} });
    expect(problem).toContain('There is no tool "move"');
  });

  it('can be looked at before they are called', async () => {
    const tools = await toModelTools(group, { format: 'openai' });
    const call = { call_id: '1', name: 'files__read', arguments: '{"path":"a"}' };
    expect(tools.resolve(call)).toMatchObject({ tool: { server: 'files' }, arguments: { path: 'a' } });
  });
});

describe('a picture', () => {
  const named = (definitions: readonly { name: string }[]) =>
    definitions.find(({ name }) => name.startsWith('files__show_picture'))?.name as string;

  it('is a picture for OpenAI, Anthropic and Gemini', async () => {
    const openai = await toModelTools(group, { format: 'openai' });
    const name = named(openai.definitions);
    expect((await openai.call({ call_id: '1', name, arguments: '{}' })).output).toEqual([
      { type: 'input_text', text: 'Here:' },
      { type: 'input_image', image_url: `data:image/png;base64,${PICTURE.data}`, detail: 'auto' },
    ]);
    const anthropic = await toModelTools(group, { format: 'anthropic' });
    expect((await anthropic.call({ id: '1', name, input: {} })).content).toEqual([
      { type: 'text', text: 'Here:' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE.data } },
    ]);
    const gemini = await toModelTools(group, { format: 'gemini' });
    expect(await gemini.call({ name })).toEqual({
      functionResponse: {
        name,
        response: { output: 'Here:' },
        parts: [{ inlineData: { mimeType: 'image/png', data: PICTURE.data } }],
      },
    });
  });

  it('is named in a text where the model takes none', async () => {
    const chat = await toModelTools(group, { format: 'openai-chat' });
    const name = named(chat.definitions.map(definition => definition.function));
    const text = 'Here:\n[image/png, 9 bytes, not shown to the model]';
    expect((await chat.call({ id: '1', function: { name, arguments: '{}' } })).content).toBe(text);
    const gemini = await toModelTools(group, { format: 'gemini', images: false });
    expect((await gemini.call({ name })).functionResponse.response).toEqual({ output: text });
  });
});

describe('a model learns', () => {
  it.each([
    ['that a tool failed', 'files__fail', '{}', 'The disk is full.'],
    ['that there is no such tool', 'files__write', '{}', 'There is no tool "files__write"'],
    ['that its arguments are no JSON', 'files__read', '{"path": ', 'must be a JSON object'],
    ['that its arguments are no object', 'files__read', '[1]', 'must be a JSON object'],
    ['that its arguments are wrong', 'files__read', '{"path": 1}', 'path'],
  ])('%s', async (_, name, args, words) => {
    const openai = await toModelTools(group, { format: 'openai', strict: false });
    const { output } = await openai.call({ call_id: '1', name, arguments: args });
    expect(output).toContain(words);
    expect(output).toMatch(/^Error: /);
    const anthropic = await toModelTools(group, { format: 'anthropic' });
    let input: unknown = args;
    try {
      input = JSON.parse(args);
    } catch {}
    expect(await anthropic.call({ id: '1', name, input })).toMatchObject({ is_error: true });
  });

  it('what kind of data it does not see', async () => {
    const tools = await toModelTools(group, { format: 'anthropic' });
    const { content } = await tools.call({ id: '1', name: 'files__hear', input: {} });
    expect(content).toEqual([{ type: 'text', text: '[audio/wav, 3 bytes, not shown to the model]' }]);
  });

  it('that a tool is done, though it says nothing', async () => {
    const tools = await toModelTools(group, { format: 'anthropic' });
    const { content } = await tools.call({ id: '1', name: 'files__nothing', input: {} });
    expect(content).toEqual([{ type: 'text', text: 'Done.' }]);
  });
});

it('a connection that is gone throws', async () => {
  const client = await connect(notes());
  const tools = await toModelTools(client, { format: 'anthropic' });
  await client.close();
  await expect(tools.call({ id: '1', name: 'read', input: { id: 1 } })).rejects.toThrow(ConnectionError);
});

it('a format that does not exist is refused with those that do', async () => {
  await expect(toModelTools(group, { format: 'mistral' as 'openai' })).rejects.toThrow(
    'the format "mistral" is not known; there are openai, openai-chat, anthropic, gemini',
  );
});
