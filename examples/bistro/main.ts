// The bistro over HTTP, as a program of its own: `node --import tsx examples/bistro/main.ts`.
import { fileURLToPath } from 'node:url';
import { listen, type RunningHttpServer } from 'tenon/node';
import { createBistro } from './server.ts';
import { timing } from './timing.ts';

const bistro = createBistro();
bistro.use(timing);

try {
  const listening = await listen(bistro, { port: Number(process.env.PORT ?? 3000), sse: true });
  console.log(nextSteps(listening.url));
  closeOnSignal(listening);
} catch (error) {
  console.error(`The bistro stays closed: ${(error as Error).message}`);
  console.error('To choose another port, set PORT: PORT=8080');
  process.exit(1);
}

function nextSteps(url: string): string {
  const stdio = `node --import ${import.meta.resolve('tsx')} ${fileURLToPath(new URL('stdio.ts', import.meta.url))}`;
  const request = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
  const headers = `-H 'content-type: application/json' -H 'mcp-protocol-version: 2026-07-28' -H 'mcp-method: tools/list'`;
  return `
The bistro is open: ${url}
It speaks every revision of the protocol, and HTTP+SSE at ${new URL('/sse', url)}. Press Ctrl+C to close it.

Look at its tools:
  curl -s ${url} ${headers} -d '${JSON.stringify(request)}'

Add it to a host:
  claude mcp add --transport http bistro ${url}
  code --add-mcp '${JSON.stringify({ name: 'bistro', type: 'http', url })}'
or let the host start it over stdio:
  claude mcp add bistro -- ${stdio}
`;
}

function closeOnSignal({ close }: RunningHttpServer): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void close().then(() => process.exit()));
  }
}
