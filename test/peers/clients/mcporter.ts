import { writeFileSync } from 'node:fs';
import { runJson } from './command-line.js';
import { type Content, outcomeOf, type Peer } from './peer-client.js';

/** mcporter's command line: one process, and one connection, for each request. */
export const mcporter: Peer = {
  name: 'mcporter',
  revisions: { 'Streamable HTTP': '2025-11-25', stdio: '2025-11-25' },
  elicits: false,
  async open(transport, { url, command, args }, home) {
    const bistro = transport === 'stdio' ? { command, args } : { url, allowHttp: true };
    const config = `${home}/mcporter.json`;
    writeFileSync(config, JSON.stringify({ imports: [], mcpServers: { bistro } }));
    const run = <T>(...options: string[]) =>
      runJson<T>(home, 'mcporter/dist/cli.js', ['--config', config, ...options]);
    return {
      async listTools() {
        const { tools } = await run<{ tools: { name: string }[] }>('list', 'bistro', '--json');
        return tools.map(({ name }) => name);
      },
      async callTool(name, args) {
        const options = ['--args', JSON.stringify(args), '--output', 'json'];
        const printed = await run<Content>('call', `bistro.${name}`, ...options);
        // It prints structured content alone, and any other result as it came.
        return outcomeOf(printed.content ? printed : { structuredContent: printed });
      },
      async readResource(uri) {
        const { contents } = await run<{ contents: { text?: string }[] }>(
          'resource',
          'bistro',
          uri,
          '--json',
        );
        return String(contents[0]?.text);
      },
      close: async () => {},
    };
  },
};
