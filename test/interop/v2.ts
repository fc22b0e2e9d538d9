import {
  Client,
  type ClientOptions,
  type Transport as ClientTransport,
  LOG_LEVEL_META_KEY,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
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

/** How the client finds the revision: by a handshake for one revision, at exactly one, or by itself. */
export type Mode = { handshake: string } | { pin: string } | 'auto';

/** Connects the official client of the v2 line to a bistro. */
export async function connectV2(kind: Transport, mode: Mode, shared?: Bistro): Promise<Host> {
  const wire = await openWire(kind, TRANSPORTS, shared);
  const client = new Client(CLIENT_INFO, { capabilities: CLIENT_CAPABILITIES, ...negotiation(mode) });
  const user = createUser();
  const heard = createHeard();
  client.setRequestHandler('elicitation/create', ({ params }) => user.fillIn(params as never) as never);
  client.setRequestHandler('sampling/createMessage', ({ params }) => user.think(params as never) as never);
  client.setRequestHandler('roots/list', () => ({ roots: user.folders() }));
  client.setNotificationHandler('notifications/message', ({ params }) => void heard.logs.push(params));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    heard.updated.push(params.uri);
  });
  client.setNotificationHandler('notifications/tools/list_changed', () => void heard.toolChanges++);
  await client.connect(wire.transport);
  tap(wire.transport, heard);
  const isModern = client.getProtocolEra() === 'modern';
  if (!isModern) await wire.ready;

  return {
    revision: client.getNegotiatedProtocolVersion() ?? '',
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
      if (logLevel && !isModern) await client.setLoggingLevel(logLevel);
      const meta = logLevel && isModern ? { _meta: { [LOG_LEVEL_META_KEY]: logLevel } } : {};
      const options = { ...(onProgress && { onprogress: onProgress as never }), ...(signal && { signal }) };
      return (await client.callTool({ name, arguments: args, ...meta }, options)) as never;
    },
    readResource: async uri => (await client.readResource({ uri })).contents as never,
    getPrompt: async (name, args = {}) => (await client.getPrompt({ name, arguments: args })) as never,
    complete: async request => (await client.complete(request)).completion as never,
    async watch(uri) {
      if (isModern) {
        const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
        return () => subscription.close();
      }
      await client.subscribeResource({ uri });
      return async () => void (await client.unsubscribeResource({ uri }));
    },
    ping: () => client.ping(),
    async close() {
      if (!isModern) await wire.end();
      await client.close();
      await wire.close();
    },
  };
}

function negotiation(mode: Mode): ClientOptions {
  if (mode === 'auto') return { versionNegotiation: { mode } };
  if ('pin' in mode) return { versionNegotiation: { mode } };
  return { supportedProtocolVersions: [mode.handshake] };
}

const TRANSPORTS: TransportMakers<ClientTransport> = {
  stdio: parameters => new StdioClientTransport(parameters),
  sse: (url, options) => new SSEClientTransport(url, options),
  http: (url, options) => new StreamableHTTPClientTransport(url, options),
};
