import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Client } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import type { CallToolResult } from '../../src/vocabulary/index.js';
import { expectNoneWith, marked } from '../stdio-client/marked.js';
import { createHome, environment, script } from './environment.js';

interface RealServer {
  name: string;
  /** The script and its arguments. */
  run: [script: string, ...args: string[]];
  /** Keys that it wants to see before it starts. */
  env?: Record<string, string>;
  revision: string;
  /** Some of its tools, and of its prompts and resources if it declares them. */
  tools: string[];
  prompts?: string[];
  resources?: string[];
  /** A call that works without a network and changes nothing outside of the home. */
  call?: { tool: string; args: Record<string, unknown>; result: Partial<CallToolResult> };
}

const home = createHome();
const note = `${home}/note.txt`;
writeFileSync(note, 'Bread, butter, two lemons');

const text = (expected: string) => ({
  content: [expect.objectContaining({ type: 'text', text: expect.stringContaining(expected) })],
});

const SERVERS: RealServer[] = [
  {
    name: 'everything',
    run: ['@modelcontextprotocol/server-everything/dist/index.js'],
    revision: '2025-11-25',
    tools: ['echo', 'get-sum', 'get-structured-content'],
    prompts: ['simple-prompt', 'args-prompt'],
    resources: ['demo://resource/static/document/features.md'],
    call: { tool: 'echo', args: { message: 'hello' }, result: text('Echo: hello') },
  },
  {
    name: 'filesystem',
    run: ['@modelcontextprotocol/server-filesystem/dist/index.js', home],
    revision: '2025-11-25',
    tools: ['read_text_file', 'write_file', 'directory_tree'],
    call: { tool: 'read_text_file', args: { path: note }, result: text('two lemons') },
  },
  {
    name: 'memory',
    run: ['@modelcontextprotocol/server-memory/dist/index.js'],
    env: { MEMORY_FILE_PATH: `${home}/memory.jsonl` },
    revision: '2025-11-25',
    tools: ['create_entities', 'read_graph', 'search_nodes'],
    resources: [expect.any(String)],
    call: { tool: 'read_graph', args: {}, result: { structuredContent: { entities: [], relations: [] } } },
  },
  {
    name: 'sequential-thinking',
    run: ['@modelcontextprotocol/server-sequential-thinking/dist/index.js'],
    revision: '2025-11-25',
    tools: ['sequentialthinking'],
    call: {
      tool: 'sequentialthinking',
      args: { thought: 'Lemons are sour', thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false },
      result: { structuredContent: expect.objectContaining({ thoughtHistoryLength: 1 }) },
    },
  },
  {
    name: 'playwright',
    run: ['@playwright/mcp/cli.js', '--headless', '--isolated'],
    revision: '2025-11-25',
    tools: ['browser_navigate', 'browser_snapshot', 'browser_click'],
  },
  {
    name: 'chrome-devtools',
    run: ['chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js', '--headless', '--no-usage-statistics'],
    revision: '2025-11-25',
    tools: ['navigate_page', 'evaluate_script', 'list_pages'],
  },
  {
    name: 'context7',
    run: ['@upstash/context7-mcp/dist/index.js'],
    revision: '2026-07-28',
    tools: ['resolve-library-id', 'query-docs'],
    prompts: [],
    resources: [],
  },
  {
    name: 'notion',
    run: ['@notionhq/notion-mcp-server/bin/cli.mjs'],
    env: { NOTION_TOKEN: 'ntn_none' },
    revision: '2025-11-25',
    tools: ['API-get-self', 'API-post-search'],
  },
  {
    name: 'figma',
    run: ['figma-developer-mcp/dist/bin.js', '--stdio'],
    env: { FIGMA_API_KEY: 'none', FRAMELINK_TELEMETRY: 'off' },
    revision: '2025-11-25',
    tools: ['get_figma_data', 'download_figma_images'],
  },
  {
    name: 'brave-search',
    run: ['@brave/brave-search-mcp-server/dist/index.js'],
    env: { BRAVE_API_KEY: 'none' },
    revision: '2025-11-25',
    tools: ['brave_web_search', 'brave_news_search'],
  },
  {
    name: 'tavily',
    run: ['tavily-mcp/build/index.js'],
    env: { TAVILY_API_KEY: 'tvly-none' },
    revision: '2025-11-25',
    tools: ['tavily_search', 'tavily_extract'],
  },
  {
    name: 'exa',
    run: ['exa-mcp-server/dist/stdio.cjs'],
    env: { EXA_API_KEY: 'none' },
    revision: '2025-11-25',
    tools: ['web_search_exa'],
    prompts: ['web_search_help'],
    resources: [expect.any(String)],
  },
  {
    name: 'chart',
    run: ['@antv/mcp-server-chart/build/index.js'],
    revision: '2025-11-25',
    tools: ['generate_bar_chart', 'generate_line_chart'],
  },
];

test.for(SERVERS)(
  '$name is found, tells all that it offers, works, and ends with the client',
  async server => {
    const [path, ...args] = server.run;
    const env = { ...environment(home), ...server.env };
    const program = { command: process.execPath, args: [script(path), ...args], cwd: home, env };
    const { command, mark } = marked(program);
    const client = await connect(command);
    expect(client.revision).toBe(server.revision);

    expect(await offerOf(client)).toEqual(offered(server));
    const { call } = server;
    if (call) expect(await client.callTool(call.tool, call.args)).toMatchObject(call.result);

    await client.close();
    await expectNoneWith(mark);
  },
);

/** All that the server declares, listed. */
async function offerOf(client: Client): Promise<Record<string, string[]>> {
  const { tools, prompts, resources } = client.server.capabilities;
  if (resources) await client.resourceTemplates();
  return {
    ...(tools && { tools: (await client.tools()).map(({ name }) => name) }),
    ...(prompts && { prompts: (await client.prompts()).map(({ name }) => name) }),
    ...(resources && { resources: (await client.resources()).map(({ uri }) => uri) }),
  };
}

function offered({ tools, prompts, resources }: RealServer): Record<string, unknown> {
  return {
    tools: expect.arrayContaining(tools),
    ...(prompts && { prompts: expect.arrayContaining(prompts) }),
    ...(resources && { resources: expect.arrayContaining(resources) }),
  };
}
