import { describe, expect, it } from 'vitest';
import { Server, UsageError } from '../../src/server/index.js';
import { pair } from '../client-faults/connected.js';
import { type Answer, DISCOVERY, LEGACY, legacy, modern } from '../client-faults/raw-server.js';

const SAFE = [{ src: 'https://bistro.example/i.png' }, { src: 'data:image/png;base64,AAAA' }];
const UNSAFE = [
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'file:///etc/passwd',
  'ftp://bistro.example/i.png',
  'ws://bistro.example/',
  'vscode://open',
  'http://bistro.example/i.png',
  'i.png',
  7,
].map(src => ({ src }));
const icons = [...UNSAFE.slice(0, 4), ...SAFE, ...UNSAFE.slice(4), null];
const link = { type: 'resource_link', uri: 'note://a', name: 'a', icons };
const serverInfo = { name: 'raw', version: '1', icons };

const answers: Record<string, Answer> = {
  'server/discover': ask =>
    ask.result({ ...DISCOVERY, _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } }),
  'tools/list': ask => ask.result({ tools: [{ name: 'a', inputSchema: { type: 'object' }, icons }] }),
  'tools/call': ask => ask.result({ content: [link] }),
  'prompts/list': ask => ask.result({ prompts: [{ name: 'a', icons }] }),
  'prompts/get': ask => ask.result({ messages: [{ role: 'user', content: link }] }),
  'resources/list': ask => ask.result({ resources: [{ uri: 'note://a', name: 'a', icons }] }),
  'resources/templates/list': ask =>
    ask.result({ resourceTemplates: [{ uriTemplate: 'note://{a}', name: 'a', icons: 'all' }] }),
};

describe('icons that could harm those who show them', () => {
  // covers: 2026-07-28/basic/icon-schemes, 2025-11-25/basic/icon-schemes
  it.each([
    ['modern', modern(answers)],
    ['of the handshake era', legacy(withoutDiscovery())],
  ])('do not reach the application, which is warned once: a server %s', async (_, serve) => {
    const warnings: string[] = [];
    const { client } = await pair(serve, { onWarning: message => warnings.push(message) });
    const [template] = await client.resourceTemplates();
    const described = [
      client.server.info,
      ...(await client.tools()),
      ...(await client.prompts()),
      ...(await client.resources()),
      ...(await client.callTool('a')).content,
      (await client.getPrompt('a')).messages[0]?.content,
    ];
    expect(described).toHaveLength(6);
    expect(described.map(item => (item as { icons: unknown }).icons)).toEqual(Array(6).fill(SAFE));
    expect(template?.icons).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('only https: and data: are safe to show')]);
  });

  it.each(UNSAFE)('cannot be registered: $src', icon => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    const options = { icons: [...SAFE, icon] as never };
    const message = 'icons that clients refuse';
    expect(() => server.tool('a', options, () => '')).toThrow(message);
    expect(() => server.prompt('a', options, () => '')).toThrow(message);
    expect(() => server.resource('note://a', options, () => '')).toThrow(message);
    expect(() => new Server({ name: 'bistro', version: '1.0.0', ...options })).toThrow(UsageError);
  });

  it.each<[string, object]>([
    ['sizes that are one text', { sizes: '48x48' }],
    ['a size that is a number', { sizes: ['48x48', 96] }],
    ['a type that is a number', { mimeType: 7 }],
    ['a theme that no revision has', { theme: 'sepia' }],
  ])('cannot be registered with %s', (_, details) => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    const options = { icons: [{ src: 'https://bistro.example/a.png', ...details }] as never };
    expect(() => server.tool('a', options, () => '')).toThrow('sizes is a list such as ["48x48"]');
    expect(() => new Server({ name: 'bistro', version: '1.0.0', ...options })).toThrow(UsageError);
  });
});

function withoutDiscovery(): Record<string, Answer> {
  const { 'server/discover': _, ...rest } = answers;
  const { capabilities } = DISCOVERY;
  return {
    ...rest,
    initialize: ask => ask.result({ protocolVersion: LEGACY, capabilities, serverInfo }),
  };
}
