import { describe, expect, test } from 'vitest';
import { type Client, InvalidAnswer } from '../../src/node/client/index.js';
import { REVISIONS, ScriptedServer, STATELESS } from './scripted-server.js';

const CAPABILITIES = { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} };
const prompt = (message: unknown) => ({
  messages: [{ role: 'user', content: { type: 'text', text: '' } }, message],
});

/** Calls of typed methods, results of a wrong shape, and the words that say what is wrong. */
const WRONG: [string, (client: Client) => Promise<unknown>, object, string][] = [
  ['tools', client => client.tools(), { tools: {} }, 'tools must be a list'],
  ['tools', client => client.tools(), { tools: [], nextCursor: 5 }, 'nextCursor must be a text'],
  ['resources', client => client.resources(), { resources: [], nextCursor: {} }, 'nextCursor must be'],
  [
    'resourceTemplates',
    client => client.resourceTemplates(),
    { resourceTemplates: [], nextCursor: 5 },
    'nextC',
  ],
  ['listPrompts', client => client.listPrompts(), { prompts: [], nextCursor: false }, 'nextCursor must be'],
  ['listTools', client => client.listTools(), {}, 'tools must be a list'],
  ['callTool', client => client.callTool('x'), {}, 'content must be a list'],
  ['callTool', client => client.callTool('x'), { content: ['hi'] }, 'content[0] must be an object'],
  ['callTool', client => client.callTool('x'), { content: [{ text: 'hi' }] }, 'content[0].type'],
  ['callTool', client => client.callTool('x'), { content: [{ type: 'text' }] }, 'content[0].text'],
  [
    'callTool',
    client => client.callTool('x'),
    { content: [{ type: 'image', data: '' }] },
    'content[0].mimeType',
  ],
  ['callTool', client => client.callTool('x'), { content: [{ type: 'resource' }] }, 'content[0].resource'],
  [
    'callTool',
    client => client.callTool('x'),
    { content: [{ type: 'resource_link', uri: 7 }] },
    'content[0].uri',
  ],
  ['resources', client => client.resources(), { resources: [{ name: 'a' }] }, 'resources[0].uri'],
  ['listResources', client => client.listResources(), { resources: 'many' }, 'resources must be a list'],
  [
    'resourceTemplates',
    client => client.resourceTemplates(),
    { resourceTemplates: [{}] },
    'resourceTemplates[0]',
  ],
  ['listResourceTemplates', client => client.listResourceTemplates(), {}, 'resourceTemplates must be a list'],
  ['readResource', client => client.readResource('a:b'), { contents: [{ uri: 'a:b' }] }, 'contents[0].text'],
  ['readResource', client => client.readResource('a:b'), { contents: [{ text: '' }] }, 'contents[0].uri'],
  ['prompts', client => client.prompts(), { prompts: [{ name: 'a' }, { name: 7 }] }, 'prompts[1].name'],
  ['listPrompts', client => client.listPrompts(), { prompts: null }, 'prompts must be a list'],
  ['getPrompt', client => client.getPrompt('a'), prompt({ role: 'system', content: {} }), 'messages[1].role'],
  ['getPrompt', client => client.getPrompt('a'), prompt({ role: 'user' }), 'messages[1].content'],
  [
    'complete',
    client => client.complete({ type: 'ref/prompt', name: 'a' }, { name: 'x', value: '' }),
    { completion: { values: [7] } },
    'completion.values[0] must be a text',
  ],
  [
    'complete',
    client => client.complete({ type: 'ref/prompt', name: 'a' }, { name: 'x', value: '' }),
    {},
    'completion must be an object',
  ],
];

describe.each(REVISIONS)('a server of %s', revision => {
  async function open(result: object, options = {}) {
    const server = new ScriptedServer({
      revision,
      capabilities: CAPABILITIES,
      answer: ({ method }) => {
        if (['initialize', 'server/discover', 'logging/setLevel'].includes(method)) return undefined;
        return { ...result, ...(revision === STATELESS && { resultType: 'complete' }) };
      },
    });
    return { server, client: await server.connect('on a pipe', options) };
  }

  test.each(WRONG)('whose result for %s has another shape gets an error that says so', async (...row) => {
    const [, call, result, words] = row;
    const { client } = await open(result);
    const error: unknown = await call(client).catch(thrown => thrown);
    expect(error).toBeInstanceOf(InvalidAnswer);
    expect((error as Error).message).toContain(words);
  });

  test('may send blocks of a type that this version does not know', async () => {
    const content = [{ type: 'hologram', beams: 3 }];
    const { client } = await open({ content });
    expect(await client.callTool('x')).toMatchObject({ content });
  });

  test('gets any result through request, as it is', async () => {
    const { client } = await open({ anything: 1 });
    expect(await client.request('resources/read', { uri: 'a:b' })).toMatchObject({ anything: 1 });
  });

  test('that logs in another shape is not heard, and the author is warned once', async () => {
    const heard: unknown[] = [];
    const warnings: string[] = [];
    const { server, client } = await open(
      { tools: [] },
      { onLog: (message: object) => heard.push(message), onWarning: (text: string) => warnings.push(text) },
    );
    const method = 'notifications/message';
    server.tell({ method, params: { level: 'loud', data: 1 } });
    server.tell({ method, params: { level: 'error' } });
    server.tell({ method, params: { level: 'error', data: null, logger: 'kitchen' } });
    await client.tools();
    expect(heard).toEqual([{ level: 'error', data: null, logger: 'kitchen' }]);
    expect(warnings).toEqual([expect.stringContaining('"loud"')]);
  });
});
