import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as ClientTransport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  isInitializeRequest,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { Bistro } from './bistro.js';
import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  createHeard,
  createUser,
  type Host,
  type Transport,
  tap,
} from './host.js';
import { openWire, type TransportMakers } from './wire.js';

/** Connects the official client of the v1 line, which offers the given revision, to a bistro. */
export async function connectV1(kind: Transport, revision: string, shared?: Bistro): Promise<Host> {
  const wire = await openWire(kind, TRANSPORTS, shared);
  const agreed = offer(wire.transport, revision);
  const client = new Client(CLIENT_INFO, { capabilities: CLIENT_CAPABILITIES });
  const user = createUser();
  const heard = createHeard();
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => user.fillIn(params as never) as never);
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => user.think(params as never) as never);
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: user.folders() }));
  client.setNotificationHandler(
    LoggingMessageNotificationSchema,
    ({ params }) => void heard.logs.push(params),
  );
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    heard.updated.push(params.uri);
  });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.toolChanges++);
  await client.connect(wire.transport);
  tap(wire.transport, heard);
  await wire.ready;

  return {
    revision: agreed(),
    server: client.getServerVersion() as Host['server'],
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities() as Host['capabilities'],
    heard,
    user,
    versionHeader: wire.versionHeader,
    listTools: async () => (await client.listTools()).tools as never,
    listResources: async () => (await client.listResources()).resources as never,
    listTemplates: async () => (await client.listResourceTemplates()).resourceTemplates as never,
    listPrompts: async () => (await client.listPrompts()).prompts as never,
    async callTool(name, args = {}, { onProgress, signal, logLevel } = {}) {
      if (logLevel) await client.setLoggingLevel(logLevel);
      const options = { ...(onProgress && { onprogress: onProgress as never }), ...(signal && { signal }) };
      return (await client.callTool({ name, arguments: args }, undefined, options)) as never;
    },
    readResource: async uri => (await client.readResource({ uri })).contents as never,
    getPrompt: async (name, args = {}) => (await client.getPrompt({ name, arguments: args })) as never,
    complete: async request => (await client.complete(request)).completion as never,
    async watch(uri) {
      await client.subscribeResource({ uri });
      return async () => void (await client.unsubscribeResource({ uri }));
    },
    ping: () => client.ping(),
    async close() {
      await wire.end();
      await client.close();
      await wire.close();
    },
  };
}

const TRANSPORTS: TransportMakers<ClientTransport> = {
  stdio: parameters => new StdioClientTransport(parameters),
  sse: (url, options) => new SSEClientTransport(url, options),
  http: (url, options) => new StreamableHTTPClientTransport(url, options),
};

/**
 * Makes a client offer a revision other than its newest. Returns a way to read which one it then went on with:
 * clients tell their transport what the server answered.
 */
function offer(transport: ClientTransport, revision: string): () => string {
  let agreed = '';
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!isInitializeRequest(message)) return send(message, options);
    return send({ ...message, params: { ...message.params, protocolVersion: revision } } as never, options);
  };
  const setProtocolVersion = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = version => {
    agreed = version;
    setProtocolVersion?.(version);
  };
  return () => agreed;
}
