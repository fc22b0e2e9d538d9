import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client, LogMessage, ServerChange } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { McpError } from '../../src/server/index.js';
import type { CallToolResult, Progress } from '../../src/vocabulary/index.js';
import { EVERYTHING, startHttp } from './servers/child.js';
import { httpPeer, type Peer, stdioPeer } from './servers/peer.js';
import { until } from './until.js';

const HANDSHAKE = ['initialize', 'notifications/initialized'];
const TRANSPORTS: [string, string[], () => Promise<Peer>][] = [
  [
    'Streamable HTTP',
    ['server/discover', ...HANDSHAKE],
    async () => httpPeer(await startHttp(EVERYTHING, 'streamableHttp')),
  ],
  [
    'HTTP+SSE',
    ['server/discover', 'initialize', 'GET', ...HANDSHAKE],
    async () => httpPeer(await startHttp(EVERYTHING, 'sse'), '/sse'),
  ],
  ['stdio', ['server/discover', ...HANDSHAKE], async () => stdioPeer(EVERYTHING, 'stdio')],
];

describe.concurrent.each(TRANSPORTS)('server-everything over %s', (...way) => {
  describe.sequential('', () => useEverything(...way));
});

function useEverything(transport: string, opening: string[], open: () => Promise<Peer>): void {
  let peer: Peer;
  let client: Client;
  const logs: LogMessage[] = [];
  const logged = (text: string) =>
    until(() => expect(logs.map(({ data }) => data)).toContainEqual(expect.stringContaining(text)));
  beforeAll(async () => {
    peer = await open();
    client = await connect(peer.target, {
      onLog: message => void logs.push(message),
      onElicit: () => ({ action: 'accept', content: { name: 'Ada', email: 'ada@example.com' } }),
      onElicitUrl: () => ({ action: 'accept' }),
      onSample: ({ maxTokens }) => ({
        role: 'assistant',
        content: { type: 'text', text: `at most ${maxTokens}` },
        model: 'reader-1',
      }),
      roots: [{ uri: 'file:///home/ada', name: 'home' }],
    });
  });
  afterAll(async () => {
    await client?.close();
    await peer?.close();
  });

  test('is found without options', async () => {
    expect(client.revision).toBe('2025-11-25');
    expect(client.server.info).toMatchObject({ name: 'mcp-servers/everything', version: '2.0.0' });
    expect(client.server.instructions).toContain('Everything');
    await until(() => expect(peer.sent().slice(0, opening.length)).toEqual(opening));
    await client.ping();
  });

  test('asks for the roots by itself, and again when they change', async () => {
    await logged('Roots updated: 1 root(s)');
    expect(await textOf(client.callTool('get-roots-list'))).toContain('URI: file:///home/ada');
    await client.setRoots([{ uri: 'file:///a' }, { uri: 'file:///b' }]);
    await logged('Roots updated: 2 root(s)');
    expect(await textOf(client.callTool('get-roots-list'))).toContain('URI: file:///b');
  });

  test('returns every kind of content', async () => {
    expect(await textOf(client.callTool('echo', { message: 'hello' }))).toBe('Echo: hello');
    expect(await textOf(client.callTool('get-sum', { a: 2, b: 3 }))).toContain('5');
    expect(await kindsOf(client.callTool('get-tiny-image'))).toEqual(['text', 'image', 'text']);
    expect(await kindsOf(client.callTool('get-resource-links', { count: 2 }))).toEqual([
      'text',
      'resource_link',
      'resource_link',
    ]);
    expect(await kindsOf(client.callTool('get-resource-reference'))).toEqual(['text', 'resource', 'text']);
    const message = { messageType: 'error', includeImage: true };
    const { content } = await client.callTool('get-annotated-message', message);
    expect(content).toMatchObject([
      { type: 'text', annotations: { priority: 1 } },
      { type: 'image', annotations: { audience: ['user'] } },
    ]);
  });

  test('returns structured content that fits its schema, and an error', async () => {
    const tools = await client.tools();
    expect(tools.find(({ name }) => name === 'get-structured-content')?.outputSchema).toBeDefined();
    const weather = await client.callTool('get-structured-content', { location: 'Chicago' });
    expect(weather.structuredContent).toEqual({
      temperature: 36,
      conditions: 'Light rain / drizzle',
      humidity: 82,
    });
    expect((await client.callTool('get-sum', { a: 'two', b: 3 })).isError).toBe(true);
  });

  test('needs a task for a tool that is nothing else, which this client does not have', async () => {
    const call = client.callTool('simulate-research-query', { topic: 'otters' });
    expect(await call.then(textOf, (error: McpError) => error.message)).toMatch(/task/i);
  });

  test('serves resources, templates, prompts and completions', async () => {
    const resources = await client.resources();
    expect(resources.length).toBeGreaterThan(5);
    const [document] = (await client.readResource(resources[0]?.uri as string)).contents;
    expect(document).toMatchObject({ text: expect.stringContaining('#') });
    const [text, blob] = await client.resourceTemplates();
    expect(text?.uriTemplate).toBe('demo://resource/dynamic/text/{resourceId}');
    const [bytes] = (await client.readResource('demo://resource/dynamic/blob/7')).contents;
    expect(Buffer.from((bytes as { blob: string }).blob, 'base64').toString()).toMatch(/^Resource 7/);
    const id = { name: 'resourceId', value: '12' };
    const ofTemplate = await client.complete({ type: 'ref/resource', uri: blob?.uriTemplate as string }, id);
    expect(ofTemplate.values).toEqual(['12']);

    const prompts = (await client.prompts()).map(({ name }) => name);
    expect(prompts).toEqual(['simple-prompt', 'args-prompt', 'completable-prompt', 'resource-prompt']);
    const { messages } = await client.getPrompt('args-prompt', { city: 'Paris' });
    expect(messages).toMatchObject([{ content: { text: "What's weather in Paris?" } }]);
    const embedded = await client.getPrompt('resource-prompt', { resourceType: 'Text', resourceId: '1' });
    expect(embedded.messages.map(({ content }) => content.type)).toEqual(['text', 'resource']);
    const ref = { type: 'ref/prompt' as const, name: 'completable-prompt' };
    const context = { department: 'Sales' };
    const names = await client.complete(ref, { name: 'name', value: '' }, { context });
    expect(names.values).toEqual(['David', 'Eve', 'Frank']);
    await expect(client.getPrompt('sing')).rejects.toThrow(McpError);
  });

  test('reports progress, and hears of a call that is cancelled', async () => {
    const seen: Progress[] = [];
    const onProgress = (progress: Progress) => void seen.push(progress);
    const work = (duration: number, signal?: AbortSignal) =>
      client.callTool('trigger-long-running-operation', { duration, steps: 2 }, { onProgress, signal });
    expect(await textOf(work(0.02))).toContain('completed');
    expect(seen).toEqual([
      { progress: 1, total: 2 },
      { progress: 2, total: 2 },
    ]);
    const cancel = new AbortController();
    const calls = () => peer.sent().filter(method => method === 'tools/call').length;
    const before = calls();
    const call = work(600, cancel.signal);
    await until(() => expect(calls()).toBe(before + 1));
    cancel.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await until(() => expect(peer.sent()).toContain('notifications/cancelled'));
  });

  test('asks the user and the model', async () => {
    const filled = await textOf(client.callTool('trigger-elicitation-request'));
    expect(filled).toContain('Name: Ada');
    expect(filled).toContain('Favorite Integer: 42');
    const visited = await textOf(client.callTool('trigger-url-elicitation', { url: 'https://example.com/' }));
    expect(visited).toContain('"action": "accept"');
    const answer = await textOf(client.callTool('trigger-sampling-request', { prompt: 'hi', maxTokens: 9 }));
    expect(answer).toContain('at most 9');
  });

  test('refuses a call until a page was visited, with all that is needed for that', async () => {
    const params = { url: 'https://example.com/', errorPath: true };
    await expect(client.callTool('trigger-url-elicitation', params)).rejects.toMatchObject({
      code: -32042,
      data: { elicitations: [{ mode: 'url', url: 'https://modelcontextprotocol.io' }] },
    });
  });

  test('tells of a resource that changed', async () => {
    const uri = 'demo://resource/dynamic/text/1';
    const heard: ServerChange[] = [];
    const stop = new AbortController();
    const listening = (async () => {
      for await (const change of client.changes({ resources: [uri] }, { signal: stop.signal }))
        heard.push(change);
    })();
    await logged('Received Subscribe Resource request');
    await client.callTool('toggle-subscriber-updates');
    await until(() => expect(heard).toEqual([{ kind: 'resource', uri }]));
    await client.callTool('toggle-subscriber-updates');
    stop.abort();
    await listening;
    await logged('Received Unsubscribe Resource request');
  });

  test('sends log messages of the level that is wanted', async () => {
    await client.setLogLevel('emergency');
    await client.setRoots([]);
    await until(async () =>
      expect(await textOf(client.callTool('get-roots-list'))).toContain('no roots are currently configured'),
    );
    expect(logs.map(({ data }) => data)).not.toContainEqual(expect.stringContaining('0 root(s)'));
  });

  test('is left without a trace', async () => {
    await client.close();
    await until(async () => expect(await peer.holds()).toBe(false));
    if (transport === 'Streamable HTTP')
      expect(peer.passed.at(-1)).toMatchObject({ what: 'DELETE', status: 200 });
  });
}

async function textOf(call: CallToolResult | Promise<CallToolResult>): Promise<string> {
  const { content } = await call;
  return content.map(block => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

async function kindsOf(call: Promise<CallToolResult>): Promise<string[]> {
  return (await call).content.map(({ type }) => type);
}
