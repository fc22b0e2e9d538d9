import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { EventStream } from '../http/event-stream.js';
import { postJson } from '../http/send.js';
import { type Desk, STDIO, type Transport } from './desk.js';

export interface Message {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

/** A way for messages, whatever they say. */
export interface Wire {
  send(message: Message): Promise<void>;
  close(): Promise<void>;
}

type Receive = (message: Message) => void;

/** Opens a wire to a desk, or to one that is started for it over stdio. */
export function openWire(transport: Transport, desk: Desk | undefined, receive: Receive): Promise<Wire> {
  if (transport === 'stdio') return openStdio(receive);
  const { url, sseUrl } = desk as Desk;
  return transport === 'HTTP' ? Promise.resolve(openHttp(url.href, receive)) : openSse(sseUrl.href, receive);
}

async function openStdio(receive: Receive): Promise<Wire> {
  const child = spawn(STDIO.command, STDIO.args, { cwd: STDIO.cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  createInterface({ input: child.stdout }).on('line', line => receive(JSON.parse(line)));
  return {
    async send(message) {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    },
    async close() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

/** Streamable HTTP: with a session if the server opens one, and with the headers that newer revisions want. */
function openHttp(url: string, receive: Receive): Wire {
  let session: string | null = null;
  let revision: string | undefined;

  async function read(response: Response): Promise<void> {
    session ??= response.headers.get('mcp-session-id');
    if (response.headers.get('content-type') !== 'text/event-stream') {
      const text = await response.text();
      if (text !== '') receive(JSON.parse(text));
      return;
    }
    const stream = new EventStream(response, new AbortController());
    for (let event = await stream.next(); event; event = await stream.next()) {
      if (event.data) receive(JSON.parse(event.data));
    }
  }

  return {
    async send(message) {
      const { method, params = {} } = message;
      const meta = (params._meta ?? {}) as Record<string, string>;
      revision = meta['io.modelcontextprotocol/protocolVersion'] ?? revision;
      const target = params.name ?? params.uri;
      const response = await postJson(
        url,
        { jsonrpc: '2.0', ...message },
        {
          ...(method && { 'mcp-method': method }),
          ...(typeof target === 'string' && { 'mcp-name': target }),
          ...(session && { 'mcp-session-id': session }),
          ...(revision && { 'mcp-protocol-version': revision }),
        },
      );
      // A stream goes on while its questions are answered by other requests.
      const done = read(response);
      if (method === 'initialize') {
        revision = (params as { protocolVersion: string }).protocolVersion;
        await done;
      }
    },
    async close() {
      if (session) await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': session } });
    },
  };
}

async function openSse(url: string, receive: Receive): Promise<Wire> {
  const controller = new AbortController();
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream' },
    signal: controller.signal,
  });
  const stream = new EventStream(response, controller);
  const endpoint = new URL((await stream.next())?.data as string, url).href;
  void (async () => {
    for (let event = await stream.next(); event; event = await stream.next()) {
      if (event.data) receive(JSON.parse(event.data));
    }
  })();
  return {
    async send(message) {
      await postJson(endpoint, { jsonrpc: '2.0', ...message });
    },
    async close() {
      stream.cut();
    },
  };
}
