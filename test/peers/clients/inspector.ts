import { runJson } from './command-line.js';
import { type Content, outcomeOf, type Peer } from './peer-client.js';

const PATH = '@modelcontextprotocol/inspector/clients/launcher/build/index.js';

/** Inspector's command line: one process, and one connection, for each request. */
export function inspector(era: 'legacy' | 'modern'): Peer {
  const revision = era === 'modern' ? '2026-07-28' : '2025-11-25';
  return {
    name: `Inspector's CLI (${era})`,
    revisions: { 'Streamable HTTP': revision, stdio: revision },
    elicits: false,
    async open(transport, { url, command, args }, home) {
      const target = transport === 'stdio' ? [command, ...args] : [url, '--transport', 'http'];
      const run = <T>(method: string, ...options: string[]) =>
        runJson<T>(home, PATH, ['--cli', ...target, '--protocol-era', era, '--method', method, ...options]);
      return {
        async listTools() {
          const { tools } = await run<{ tools: { name: string }[] }>('tools/list');
          return tools.map(({ name }) => name);
        },
        async callTool(name, args) {
          const options = ['--tool-name', name, '--tool-args-json', JSON.stringify(args)];
          return outcomeOf(await run<Content>('tools/call', ...options));
        },
        async readResource(uri) {
          const { contents } = await run<{ contents: { text?: string }[] }>('resources/read', '--uri', uri);
          return String(contents[0]?.text);
        },
        close: async () => {},
      };
    },
  };
}
