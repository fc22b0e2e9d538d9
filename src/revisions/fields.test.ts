import {
  CallToolResultSchema,
  CompleteResultSchema,
  DiscoverResultSchema,
  GetPromptResultSchema,
  InitializeResultSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListToolsResultSchema,
  ReadResourceResultSchema,
} from '@modelcontextprotocol/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connectRaw, type RawClient } from '../../test/raw-client.js';
import type { JsonObject } from '../base/json.js';
import type { Annotations, ContentBlock, Icon } from '../protocol/content.js';
import { META } from '../protocol/meta.js';
import { fetchHandler } from '../server/http/index.js';
import { Server } from '../server/server.js';

const FIRST = '2024-11-05';
const STREAMABLE = '2025-03-26';
const STRUCTURED = '2025-06-18';
const LAST_HANDSHAKE = '2025-11-25';
const MODERN = '2026-07-28';
const REVISIONS = [FIRST, STREAMABLE, STRUCTURED, LAST_HANDSHAKE, MODERN];

/** The fields of each shape with the revision that brought them, written down from the published schemas. */
const SINCE: Record<string, Record<string, string>> = {
  Implementation: {
    name: FIRST,
    version: FIRST,
    title: STRUCTURED,
    description: LAST_HANDSHAKE,
    websiteUrl: LAST_HANDSHAKE,
    icons: LAST_HANDSHAKE,
  },
  ServerCapabilities: {
    experimental: FIRST,
    logging: FIRST,
    prompts: FIRST,
    resources: FIRST,
    tools: FIRST,
    completions: STREAMABLE,
    // Not in the schema before 2026-07-28, but the proposal for extensions shows them in this handshake.
    extensions: STRUCTURED,
  },
  Tool: {
    name: FIRST,
    description: FIRST,
    inputSchema: FIRST,
    annotations: STREAMABLE,
    title: STRUCTURED,
    outputSchema: STRUCTURED,
    _meta: STRUCTURED,
    icons: LAST_HANDSHAKE,
  },
  ToolAnnotations: {
    title: STREAMABLE,
    readOnlyHint: STREAMABLE,
    destructiveHint: STREAMABLE,
    idempotentHint: STREAMABLE,
    openWorldHint: STREAMABLE,
  },
  Resource: {
    uri: FIRST,
    name: FIRST,
    description: FIRST,
    mimeType: FIRST,
    annotations: FIRST,
    size: FIRST,
    title: STRUCTURED,
    _meta: STRUCTURED,
    icons: LAST_HANDSHAKE,
  },
  ResourceTemplate: {
    uriTemplate: FIRST,
    name: FIRST,
    description: FIRST,
    mimeType: FIRST,
    annotations: FIRST,
    title: STRUCTURED,
    _meta: STRUCTURED,
    icons: LAST_HANDSHAKE,
  },
  Prompt: {
    name: FIRST,
    description: FIRST,
    arguments: FIRST,
    title: STRUCTURED,
    _meta: STRUCTURED,
    icons: LAST_HANDSHAKE,
  },
  PromptArgument: { name: FIRST, description: FIRST, required: FIRST, title: STRUCTURED },
  PromptMessage: { role: FIRST, content: FIRST },
  Annotations: { audience: FIRST, priority: FIRST, lastModified: STRUCTURED },
  Icon: { src: LAST_HANDSHAKE, mimeType: LAST_HANDSHAKE, sizes: LAST_HANDSHAKE, theme: LAST_HANDSHAKE },
  TextContent: { type: FIRST, text: FIRST, annotations: FIRST, _meta: STRUCTURED },
  ImageContent: { type: FIRST, data: FIRST, mimeType: FIRST, annotations: FIRST, _meta: STRUCTURED },
  AudioContent: {
    type: STREAMABLE,
    data: STREAMABLE,
    mimeType: STREAMABLE,
    annotations: STREAMABLE,
    _meta: STRUCTURED,
  },
  ResourceLink: {
    type: STRUCTURED,
    uri: STRUCTURED,
    name: STRUCTURED,
    title: STRUCTURED,
    description: STRUCTURED,
    mimeType: STRUCTURED,
    annotations: STRUCTURED,
    size: STRUCTURED,
    _meta: STRUCTURED,
    icons: LAST_HANDSHAKE,
  },
  EmbeddedResource: { type: FIRST, resource: FIRST, annotations: FIRST, _meta: STRUCTURED },
  TextResourceContents: { uri: FIRST, mimeType: FIRST, text: FIRST, _meta: STRUCTURED },
  BlobResourceContents: { uri: FIRST, mimeType: FIRST, blob: FIRST, _meta: STRUCTURED },
  CallToolResult: {
    content: FIRST,
    isError: FIRST,
    _meta: FIRST,
    structuredContent: STRUCTURED,
    resultType: MODERN,
  },
  GetPromptResult: { description: FIRST, messages: FIRST, _meta: FIRST, resultType: MODERN },
  ReadResourceResult: {
    contents: FIRST,
    _meta: FIRST,
    resultType: MODERN,
    ttlMs: MODERN,
    cacheScope: MODERN,
  },
  ProgressParams: { progressToken: FIRST, progress: FIRST, total: FIRST, message: STREAMABLE },
};

function known(shape: string, revision: string): string[] {
  return Object.entries(SINCE[shape] as Record<string, string>)
    .filter(([, since]) => since <= revision)
    .map(([field]) => field)
    .sort();
}

const META_DATA = { 'com.example/note': 'kept' };
const ANNOTATIONS: Annotations = {
  audience: ['user'],
  priority: 0.5,
  lastModified: '2025-01-12T15:00:58Z',
};
const ICONS: Icon[] = [
  { src: 'https://example.com/i.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' },
];
const DATA = btoa('data');

/** One block of each type, with every field that it can have. */
const BLOCKS = {
  TextContent: { type: 'text', text: 'Hello', annotations: ANNOTATIONS, _meta: META_DATA },
  ImageContent: {
    type: 'image',
    data: DATA,
    mimeType: 'image/png',
    annotations: ANNOTATIONS,
    _meta: META_DATA,
  },
  AudioContent: {
    type: 'audio',
    data: DATA,
    mimeType: 'audio/wav',
    annotations: ANNOTATIONS,
    _meta: META_DATA,
  },
  ResourceLink: {
    type: 'resource_link',
    uri: 'menu://today',
    name: 'today',
    title: 'Menu of the day',
    description: 'What there is to eat',
    mimeType: 'text/plain',
    size: 5,
    annotations: ANNOTATIONS,
    icons: ICONS,
    _meta: META_DATA,
  },
  EmbeddedResource: {
    type: 'resource',
    resource: { uri: 'menu://today', mimeType: 'text/plain', text: 'Soup', _meta: META_DATA },
    annotations: ANNOTATIONS,
    _meta: META_DATA,
  },
} satisfies Record<string, ContentBlock>;

/** A server that uses every field of the newest revision. */
function createServer(): Server {
  const server = new Server(
    {
      name: 'bistro',
      version: '1.0.0',
      title: 'Bistro',
      description: 'A restaurant',
      websiteUrl: 'https://example.com',
      icons: ICONS,
    },
    {
      instructions: 'Ask for the menu first.',
      pageSize: 4,
      cacheHints: { default: { ttlMs: 1000, cacheScope: 'public' } },
      capabilities: { extensions: { 'com.example/x': {} }, experimental: { 'com.example/y': {} } },
    },
  );
  const described = { title: 'A title', description: 'A description', icons: ICONS, meta: META_DATA };
  const annotations = {
    title: 'T',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  };
  server.tool(
    'object',
    {
      ...described,
      annotations,
      input: z.object({ n: z.number() }),
      output: z.object({ n: z.number() }),
    },
    ({ n }) => ({ structuredContent: { n }, isError: false, _meta: META_DATA }),
  );
  server.tool('list', { ...described, annotations, output: z.array(z.number()) }, () => [1, 2]);
  server.tool('number', { ...described, annotations, output: z.number() }, () => 7);
  server.tool('blocks', {}, () => Object.values(BLOCKS));
  server.tool('work', {}, (_, ctx) => ctx.progress(1, { total: 2, message: 'half' }));
  const resource = {
    ...described,
    name: 'today',
    mimeType: 'text/plain',
    annotations: ANNOTATIONS,
  };
  server.resource('menu://today', { ...resource, size: 4 }, () => ({
    contents: [
      { text: 'Soup', _meta: META_DATA },
      { blob: DATA, _meta: META_DATA },
    ],
    _meta: META_DATA,
  }));
  server.resource('menu://{day}', { ...resource, complete: { day: () => ['today'] } }, ({ day }) => day);
  server.prompt(
    'order',
    { ...described, input: z.object({ dish: z.string().meta({ title: 'Dish', description: 'What' }) }) },
    () => ({
      messages: Object.values(BLOCKS).map(content => ({ role: 'user' as const, content })),
      _meta: META_DATA,
    }),
  );
  return server;
}

describe.each(REVISIONS)('revision %s', revision => {
  let client: RawClient;
  const isModern = revision === MODERN;

  beforeAll(async () => {
    client = await connectRaw(createServer(), { revision });
  });

  function expectShape(shape: string, value: unknown): void {
    expect(Object.keys(value as object).sort(), shape).toEqual(known(shape, revision));
  }

  /** Lists carry their entries, a cursor if there is more, and on the newest revision what goes with results. */
  function expectList(name: string, result: JsonObject, hasMore: boolean): JsonObject[] {
    const modern = isModern ? ['_meta', 'cacheScope', 'resultType', 'ttlMs'] : [];
    expect(Object.keys(result).sort()).toEqual([name, ...(hasMore ? ['nextCursor'] : []), ...modern].sort());
    if (isModern) expect(result).toMatchObject({ resultType: 'complete', ttlMs: 1000, cacheScope: 'public' });
    return result[name] as JsonObject[];
  }

  function expectContent(content: JsonObject[]): void {
    const [text, image, audio, link, embedded] = content as [
      JsonObject,
      JsonObject,
      JsonObject,
      JsonObject,
      JsonObject,
    ];
    expect(content).toHaveLength(5);
    expectShape('TextContent', text);
    expectShape('ImageContent', image);
    expectShape('EmbeddedResource', embedded);
    expectShape('TextResourceContents', embedded.resource);
    for (const block of content) expectShape('Annotations', block.annotations);

    if (revision >= STREAMABLE) expectShape('AudioContent', audio);
    else expect(audio).toMatchObject({ type: 'text', text: expect.stringMatching(/audio.*audio\/wav/) });
    if (revision >= STRUCTURED) expectShape('ResourceLink', link);
    else
      expect(link).toMatchObject({
        type: 'text',
        text: 'Menu of the day: menu://today (What there is to eat)',
      });
    for (const replaced of [audio, link].filter(block => block.type === 'text')) {
      expect(Object.keys(replaced).sort()).toEqual(['annotations', 'text', 'type']);
    }
  }

  async function listTools(): Promise<JsonObject[]> {
    const first = await client.request('tools/list');
    const second = await client.request('tools/list', { cursor: first.nextCursor as string });
    return [...expectList('tools', first, true), ...expectList('tools', second, false)];
  }

  it('describes the server with the fields that it knows, and all of them', async () => {
    if (isModern) {
      const discovery = await client.request('server/discover');
      expect(Object.keys(discovery).sort()).toEqual([
        '_meta',
        'cacheScope',
        'capabilities',
        'instructions',
        'resultType',
        'supportedVersions',
        'ttlMs',
      ]);
      expectShape('ServerCapabilities', discovery.capabilities);
      expectShape('Implementation', (discovery._meta as JsonObject)[META.serverInfo]);
      expect(discovery.supportedVersions).toEqual(expect.arrayContaining(REVISIONS));
      expect(DiscoverResultSchema.safeParse(discovery).error).toBeUndefined();
      return;
    }
    const initialized = await initialize(revision);
    expect(Object.keys(initialized).sort()).toEqual([
      'capabilities',
      'instructions',
      'protocolVersion',
      'serverInfo',
    ]);
    expect(initialized.protocolVersion).toBe(revision);
    expectShape('ServerCapabilities', initialized.capabilities);
    expectShape('Implementation', initialized.serverInfo);
    expect(InitializeResultSchema.safeParse(initialized).error).toBeUndefined();
  });

  // covers: 2025-06-18/lifecycle/server-respects-the-version
  // covers: 2025-03-26/lifecycle/server-respects-the-version
  // covers: 2024-11-05/lifecycle/server-respects-the-version
  it('lists a tool with the fields that it knows, and all of them', async () => {
    const [object] = await listTools();
    expectShape('Tool', object);
    if (revision >= STREAMABLE) expectShape('ToolAnnotations', object?.annotations);
    if (revision >= LAST_HANDSHAKE) expectShape('Icon', (object?.icons as Icon[] | undefined)?.[0]);
    expect(ListToolsResultSchema.safeParse({ tools: [object] }).error).toBeUndefined();
  });

  it('lists an output schema that is not an object only if it can be one', async () => {
    const tools = await listTools();
    const withOutput = tools.filter(tool => tool.outputSchema).map(tool => tool.name);
    if (isModern) expect(withOutput).toEqual(['object', 'list', 'number']);
    else expect(withOutput).toEqual(revision >= STRUCTURED ? ['object'] : []);
  });

  it('lists resources and templates with the fields that it knows, and all of them', async () => {
    const listed = await client.request('resources/list');
    const [resource] = expectList('resources', listed, false);
    expectShape('Resource', resource);
    expectShape('Annotations', resource?.annotations);
    expect(ListResourcesResultSchema.safeParse(listed).error).toBeUndefined();

    const templates = await client.request('resources/templates/list');
    const [template] = expectList('resourceTemplates', templates, false);
    expectShape('ResourceTemplate', template);
    expectShape('Annotations', template?.annotations);
    expect(ListResourceTemplatesResultSchema.safeParse(templates).error).toBeUndefined();
  });

  it('lists a prompt and its arguments with the fields that it knows, and all of them', async () => {
    const listed = await client.request('prompts/list');
    const [prompt] = expectList('prompts', listed, false);
    expectShape('Prompt', prompt);
    expectShape('PromptArgument', (prompt?.arguments as object[] | undefined)?.[0]);
    expect(ListPromptsResultSchema.safeParse(listed).error).toBeUndefined();
  });

  it('reads a resource with the fields that it knows, and all of them', async () => {
    const result = await client.request('resources/read', { uri: 'menu://today' });
    expectShape('ReadResourceResult', result);
    const [text, blob] = result.contents as [JsonObject, JsonObject];
    expectShape('TextResourceContents', text);
    expectShape('BlobResourceContents', blob);
    expect(result._meta).toMatchObject(META_DATA);
    expect(ReadResourceResultSchema.safeParse(result).error).toBeUndefined();
  });

  it('gets a prompt whose messages have only content that it knows', async () => {
    const result = await client.request('prompts/get', { name: 'order', arguments: { dish: 'soup' } });
    expectShape('GetPromptResult', result);
    const messages = result.messages as JsonObject[];
    for (const message of messages) expectShape('PromptMessage', message);
    expectContent(messages.map(message => message.content as JsonObject));
    expect(GetPromptResultSchema.safeParse(result).error).toBeUndefined();
  });

  // covers: 2025-06-18/lifecycle/server-respects-the-version
  // covers: 2025-03-26/lifecycle/server-respects-the-version
  // covers: 2024-11-05/lifecycle/server-respects-the-version
  it('calls a tool whose result has only content that it knows', async () => {
    const result = await client.request('tools/call', { name: 'blocks' });
    expectContent(result.content as JsonObject[]);
    expect(CallToolResultSchema.safeParse(result).error).toBeUndefined();
  });

  // covers: 2025-06-18/tools/structured-content-is-also-text
  it('has structured content where it is known, and the same as text everywhere', async () => {
    const result = await client.request('tools/call', { name: 'object', arguments: { n: 3 } });
    expectShape('CallToolResult', result);
    expect(result.content).toEqual([{ type: 'text', text: '{"n":3}' }]);
    expect(result.structuredContent).toEqual(revision >= STRUCTURED ? { n: 3 } : undefined);
    expect(result._meta).toMatchObject(META_DATA);
  });

  it.each([
    ['list', [1, 2]],
    ['number', 7],
  ])('leaves structured content that is a %s to the text unless it may be anything', async (name, value) => {
    const result = await client.request('tools/call', { name });
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(value) }]);
    if (isModern) expect(result.structuredContent).toEqual(value);
    else expect(result).not.toHaveProperty('structuredContent');
  });

  it('reports progress with the fields that it knows, and all of them', async () => {
    await client.request('tools/call', { name: 'work', _meta: { progressToken: 'p' } });
    expectShape('ProgressParams', client.notifications.at(-1)?.params);
  });

  it('completes arguments', async () => {
    const result = await client.request('completion/complete', {
      ref: { type: 'ref/resource', uri: 'menu://{day}' },
      argument: { name: 'day', value: '' },
    });
    expect(result.completion).toEqual({ values: ['today'], total: 1, hasMore: false });
    expect(Object.keys(result).sort()).toEqual(
      isModern ? ['_meta', 'completion', 'resultType'] : ['completion'],
    );
    expect(CompleteResultSchema.safeParse(result).error).toBeUndefined();
  });

  // covers: 2026-07-28/basic/result-has-a-type, 2026-07-28/basic/server-info-on-every-result
  it('says on every result who made it and that it is complete, if it is the newest', async () => {
    const { _meta, resultType } = await client.request('tools/call', {
      name: 'object',
      arguments: { n: 1 },
    });
    const serverInfo = expect.objectContaining({ name: 'bistro', version: '1.0.0' });
    expect(resultType).toBe(isModern ? 'complete' : undefined);
    expect(_meta).toEqual(isModern ? { ...META_DATA, [META.serverInfo]: serverInfo } : META_DATA);
  });
});

it('does not change what the author registered or returned', async () => {
  const before = structuredClone(BLOCKS);
  for (const revision of REVISIONS) {
    const client = await connectRaw(createServer(), { revision });
    await client.request('tools/call', { name: 'blocks' });
    await client.request('prompts/get', { name: 'order', arguments: { dish: 'soup' } });
  }
  expect(BLOCKS).toEqual(before);
});

it('serves clients of all revisions from one server at once', async () => {
  const server = createServer();
  const clients = await Promise.all(REVISIONS.map(revision => connectRaw(server, { revision })));
  const lists = await Promise.all(clients.map(client => client.request('tools/list')));
  const fields = lists.map(({ tools }) => Object.keys((tools as object[])[0] as object).sort());
  expect(fields).toEqual(REVISIONS.map(revision => known('Tool', revision)));
});

/** The answer to the handshake, which a test client keeps to itself. */
async function initialize(revision: string): Promise<JsonObject> {
  const response = await fetchHandler(createServer())(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
      }),
    }),
  );
  return ((await response.json()) as { result: JsonObject }).result;
}

it('a title of a tool is in its annotations where tools have none of their own', async () => {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('plain', { title: 'Plain' }, () => '');
  server.tool('noted', { title: 'Noted', annotations: { readOnlyHint: true } }, () => '');
  server.tool('own', { title: 'Own', annotations: { title: 'Mine' } }, () => '');
  server.tool('none', {}, () => '');
  const list = async (revision: string) => {
    const client = await connectRaw(server, { revision });
    const { tools } = (await client.request('tools/list')) as unknown as { tools: JsonObject[] };
    return tools.map(({ title, annotations }) => ({ title, annotations }));
  };
  expect(await list(STREAMABLE)).toEqual([
    { annotations: { title: 'Plain' } },
    { annotations: { title: 'Noted', readOnlyHint: true } },
    { annotations: { title: 'Mine' } },
    {},
  ]);
  expect(await list(FIRST)).toEqual([{}, {}, {}, {}]);
  expect((await list(STRUCTURED))[0]).toEqual({ title: 'Plain', annotations: undefined });
});
