import { MCPServerStdio, MCPServerStreamableHttp } from '@openai/agents';
import { outcomeOf, type Peer } from './peer-client.js';

// A machine that is busy with something else may take longer than the five seconds that a session has by default.
const options = { useStructuredContent: true, clientSessionTimeoutSeconds: 120 };

export const openaiAgents: Peer = {
  name: '@openai/agents',
  revisions: { 'Streamable HTTP': '2026-07-28', stdio: '2026-07-28' },
  elicits: false,
  hidesFailures: true,
  async open(transport, { url, command, args }) {
    const client =
      transport === 'stdio'
        ? new MCPServerStdio({ ...options, command, args })
        : new MCPServerStreamableHttp({ ...options, url });
    await client.connect();
    return {
      listTools: async () => (await client.listTools()).map(({ name }) => name),
      async callTool(name, args) {
        const content = await client.callTool(name, args);
        const { structuredContent } = content as { structuredContent?: unknown };
        return outcomeOf({ content, structuredContent });
      },
      async readResource(uri) {
        const { contents } = await client.readResource(uri);
        const [content] = contents as { text?: string }[];
        return String(content?.text);
      },
      close: () => client.close(),
    };
  },
};
