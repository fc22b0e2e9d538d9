import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { type Content, outcomeOf, type Peer } from './peer-client.js';

export const aiSdk: Peer = {
  name: '@ai-sdk/mcp',
  revisions: { 'Streamable HTTP': '2026-07-28', stdio: '2025-11-25' },
  elicits: true,
  async open(transport, { url, command, args }) {
    const client = await createMCPClient({
      transport:
        transport === 'stdio' ? new Experimental_StdioMCPTransport({ command, args }) : { type: 'http', url },
      capabilities: { elicitation: {} },
      // It waits one second for a program: whether one that starts slowly is discovered would be luck.
      protocolVersionDiscovery: transport !== 'stdio',
    });
    client.onElicitationRequest(ElicitationRequestSchema, async () => ({
      action: 'accept',
      content: { guests: 6, diet: 'vegan', terrace: true },
    }));
    const tools = await client.tools();
    return {
      listTools: async () => Object.keys(tools),
      async callTool(name, args) {
        const result = await tools[name]!.execute(args, { toolCallId: '1', messages: [], context: {} });
        return outcomeOf(result as Content);
      },
      async readResource(uri) {
        const { contents } = await client.readResource({ uri });
        return String(contents[0]?.text);
      },
      close: () => client.close(),
    };
  },
};
