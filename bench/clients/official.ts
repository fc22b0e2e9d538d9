import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { message } from '../scenarios.js';
import { serveRuns } from './run.js';

serveRuns(async url => {
  const client = new Client(
    { name: 'bench', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return async () => {
    const { content } = await client.callTool({ name: 'echo', arguments: { message } });
    return (content[0] as { text: string }).text;
  };
});
