import { onTestFinished } from 'vitest';
import type { Client, ConnectOptions } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import type { Transport } from '../../src/protocol/transport.js';
import { type Ask, listenRaw } from '../client-faults/raw-server.js';

export const HANDSHAKES = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
export const STATELESS = '2026-07-28';
export const REVISIONS = [...HANDSHAKES, STATELESS];
export const WAYS = ['over HTTP', 'on a pipe'] as const;
export type Way = (typeof WAYS)[number];

/** A message of JSON-RPC, as it was sent. */
export type Message = any;

/** A method and parameters, as a server may send them by itself. */
export interface Sent {
  method: string;
  params?: object;
}

export interface Script {
  revision: string;
  capabilities: object;
  /** Answers a request: a result, or undefined for one that the client can read. */
  answer?(message: Message): object | undefined;
  /** Answers a request with an error; undefined for a request that is answered otherwise. */
  refuse?(message: Message): { code: number; message: string } | undefined;
  /** Whether the server answers nothing at all. */
  isSilent?(): boolean;
}

/** A server that is written by hand: it declares what a test wants, and keeps every message of the client. */
export class ScriptedServer {
  readonly messages: Message[] = [];
  readonly #script: Script;
  readonly #waiting = new Set<{ matches(message: Message): boolean; found(message: Message): void }>();
  /** Sends a message that belongs to no response. */
  #push: (message: object) => void = () => {};
  #breakOff: (reason: Error) => void = () => {};
  #lastId = 0;

  constructor(script: Script) {
    this.#script = script;
  }

  get isStateless(): boolean {
    return this.#script.revision === STATELESS;
  }

  /** The methods that the client sent, without those that open a connection. */
  get methods(): string[] {
    const opening = ['server/discover', 'initialize', 'notifications/initialized'];
    return this.messages.map(({ method }) => method).filter(method => method && !opening.includes(method));
  }

  /** The first message that matches, past or future. */
  next(matches: (message: Message) => boolean): Promise<Message> {
    const past = this.messages.find(matches);
    if (past) return Promise.resolve(past);
    return new Promise(found => void this.#waiting.add({ matches, found }));
  }

  /** Sends a request, and resolves with the client's response. */
  async ask(question: Sent): Promise<Message> {
    const id = `q-${++this.#lastId}`;
    this.#push({ jsonrpc: '2.0', id, ...question });
    return this.next(message => message.id === id && message.method === undefined);
  }

  tell(notification: Sent): void {
    this.#push({ jsonrpc: '2.0', ...notification });
  }

  /** Ends the connection, on a pipe. */
  breakOff(reason: Error): void {
    this.#breakOff(reason);
  }

  /** Connects a client to this server until the end of the test. */
  async connect(way: Way, options: ConnectOptions = {}): Promise<Client> {
    const target = way === 'on a pipe' ? this.#pipe() : await this.#http();
    const { revision } = this.#script;
    const client = await connect(target, { revision, onWarning: () => {}, cache: false, ...options });
    onTestFinished(() => client.close());
    return client;
  }

  #pipe(): Transport {
    return {
      start: async (receive, closed) => {
        this.#breakOff = closed;
        this.#push = message => receive(JSON.stringify(message));
      },
      send: async text => {
        for (const answer of this.#take(JSON.parse(text))) this.#push(answer);
      },
      close: async () => {},
    };
  }

  async #http(): Promise<string> {
    let stream: Ask | undefined;
    this.#push = message => stream?.event(message);
    const { url, close } = await listenRaw(ask => {
      if (ask.method === 'GET' && !this.isStateless) {
        stream = ask.stream();
        return;
      }
      if (!ask.message) return ask.send(405);
      const answers = this.#take(ask.message);
      if (ask.method === 'subscriptions/listen') {
        stream = ask.stream();
        for (const answer of answers) stream.event(answer);
      } else if (ask.message.id === undefined || ask.message.method === undefined) ask.send(202);
      else ask.json(answers[0], ask.method === 'initialize' ? { 'mcp-session-id': 's-1' } : {});
    });
    onTestFinished(close);
    return url;
  }

  /** Keeps a message, and returns the messages that follow from it. */
  #take(message: Message): object[] {
    this.messages.push(message);
    for (const one of this.#waiting) {
      if (!one.matches(message)) continue;
      this.#waiting.delete(one);
      one.found(message);
    }
    const { id, method, params } = message;
    if (id === undefined || method === undefined || this.#script.isSilent?.()) return [];
    const error = this.#script.refuse?.(message);
    if (error) return [{ jsonrpc: '2.0', id, error }];
    const own = this.#script.answer?.(message);
    if (own) return [{ jsonrpc: '2.0', id, result: own }];
    if (method === 'subscriptions/listen') {
      const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
      const acknowledgement = { notifications: params.notifications, _meta };
      return [
        { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: acknowledgement },
      ];
    }
    return [{ jsonrpc: '2.0', id, result: this.#result(method) }];
  }

  #result(method: string): object {
    const { revision, capabilities } = this.#script;
    const serverInfo = { name: 'scripted', version: '1.0.0' };
    const result = {
      initialize: { protocolVersion: revision, capabilities, serverInfo },
      'server/discover': { supportedVersions: [revision], capabilities },
      'tools/list': { tools: [] },
      'tools/call': { content: [] },
      'prompts/list': { prompts: [] },
      'prompts/get': { messages: [] },
      'resources/list': { resources: [] },
      'resources/templates/list': { resourceTemplates: [] },
      'resources/read': { contents: [] },
      'completion/complete': { completion: { values: [] } },
    }[method];
    return { ...result, ...(this.isStateless && { resultType: 'complete' }) };
  }
}
