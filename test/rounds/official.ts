import {
  Client as ClientV2,
  SSEClientTransport as SseV2,
  StreamableHTTPClientTransport as StreamableV2,
  type Transport as TransportV2,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as StreamableV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema, isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { type Desk, openDesk, STDIO, type Transport } from './desk.js';
import {
  CAPABILITIES,
  CLIENT_INFO,
  type Host,
  textOfPrompt,
  textOfResource,
  textOfTool,
  User,
} from './host.js';

/** What the two official clients have in common. */
interface OfficialClient {
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  getPrompt(params: { name: string; arguments: Record<string, string> }): Promise<unknown>;
  readResource(params: { uri: string }): Promise<unknown>;
  close(): Promise<void>;
}

interface Transports<T> {
  Stdio: new (parameters: typeof STDIO) => T;
  Sse: new (url: URL) => T;
  Http: new (url: URL) => T;
}

const V1: Transports<TransportV1> = { Stdio: StdioV1, Sse: SseV1, Http: StreamableV1 };
const V2: Transports<TransportV2> = { Stdio: StdioV2, Sse: SseV2, Http: StreamableV2 };

/** The official client of the v1 line, which knows the revisions with a handshake. */
export async function connectV1(kind: Transport, revision: string): Promise<Host> {
  const desk = kind === 'stdio' ? undefined : await openDesk();
  const transport = makeTransport(kind, desk, V1);
  const client = new ClientV1(CLIENT_INFO, { capabilities: CAPABILITIES });
  const host = toHost(client as OfficialClient, offer(transport, revision), desk);
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => host.user.fillIn(params) as never);
  await client.connect(transport);
  return host;
}

/** The official client of the v2 line. It answers `input_required` by itself, with the same handler. */
export async function connectV2(kind: Transport, revision: string): Promise<Host> {
  const desk = kind === 'stdio' ? undefined : await openDesk();
  const client = new ClientV2(CLIENT_INFO, {
    capabilities: CAPABILITIES,
    ...(revision === '2026-07-28'
      ? { versionNegotiation: { mode: { pin: revision } } }
      : { supportedProtocolVersions: [revision] }),
  });
  const agreed = () => client.getNegotiatedProtocolVersion() ?? '';
  const host = toHost(client as OfficialClient, agreed, desk);
  client.setRequestHandler('elicitation/create', ({ params }) => host.user.fillIn(params) as never);
  await client.connect(makeTransport(kind, desk, V2));
  return host;
}

function toHost(client: OfficialClient, agreed: () => string, desk: Desk | undefined): Host {
  return {
    get revision() {
      return agreed();
    },
    desk,
    user: new User({}),
    callTool: async (name, args) => textOfTool(await client.callTool({ name, arguments: { ...args } })),
    getPrompt: async (name, args) => textOfPrompt(await client.getPrompt({ name, arguments: args })),
    readResource: async uri => textOfResource(await client.readResource({ uri })),
    async close() {
      await client.close();
      await desk?.close();
    },
  };
}

function makeTransport<T>(kind: Transport, desk: Desk | undefined, make: Transports<T>): T {
  if (kind === 'stdio') return new make.Stdio(STDIO);
  const { url, sseUrl } = desk as Desk;
  return kind === 'HTTP' ? new make.Http(url) : new make.Sse(sseUrl);
}

/** Makes a client of the v1 line offer a certain revision, and tells which one it then went on with. */
function offer(transport: TransportV1, revision: string): () => string {
  let agreed = '';
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!isInitializeRequest(message)) return send(message, options);
    return send({ ...message, params: { ...message.params, protocolVersion: revision } }, options);
  };
  const setProtocolVersion = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = version => {
    agreed = version;
    setProtocolVersion?.(version);
  };
  return () => agreed;
}
