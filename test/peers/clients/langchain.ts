import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import type { Outcome, Peer } from './peer-client.js';

export const langchain: Peer = {
  name: '@langchain/mcp-adapters',
  revisions: { 'Streamable HTTP': '2025-11-25', stdio: '2025-11-25' },
  elicits: false,
  async open(transport, { url, command, args }) {
    const bistro =
      transport === 'stdio'
        ? { transport: 'stdio' as const, command, args }
        : { transport: 'http' as const, url };
    const client = new MultiServerMCPClient({ mcpServers: { bistro } });
    const tools = await client.getTools();
    return {
      listTools: async () => tools.map(({ name }) => name),
      async callTool(name, args) {
        return outcomeOf(await tools.find(tool => tool.name === name)!.invoke(args));
      },
      async readResource(uri) {
        const [content] = await client.readResource('bistro', uri);
        return String(content?.text);
      },
      close: () => client.close(),
    };
  },
};

/** LangChain has content blocks of its own: one, a list of them, or only a text. */
function outcomeOf(output: unknown): Outcome {
  if (typeof output === 'string') return { text: output, pictures: [] };
  const blocks = [output].flat() as {
    text?: string;
    image_url?: { url: string };
    structuredContent?: unknown;
  }[];
  const structured = blocks.find(({ structuredContent }) => structuredContent)?.structuredContent;
  return {
    text: blocks.flatMap(({ text }) => text ?? []).join('\n'),
    pictures: blocks.flatMap(({ image_url }) => image_url?.url ?? []),
    ...(structured !== undefined && { structured }),
  };
}
