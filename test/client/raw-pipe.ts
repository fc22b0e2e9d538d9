import { onTestFinished } from 'vitest';
import { type Client, connect } from '../../src/node/client/index.js';

/** Whatever a client sends. */
export type Message = any;
export type Reply = (message: Message, pipe: RawPipe) => void;

/** The server's end of a pipe: keeps every line that the client sends, and replies as the test says. */
export class RawPipe {
  readonly lines: string[] = [];
  readonly #reply: Reply;
  #receive: (text: string) => void = () => {};

  constructor(reply: Reply) {
    this.#reply = reply;
  }

  get messages(): Message[] {
    return this.lines.map(line => JSON.parse(line));
  }

  async start(receive: (text: string) => void): Promise<void> {
    this.#receive = receive;
  }

  async send(text: string): Promise<void> {
    this.lines.push(text);
    this.#reply(JSON.parse(text), this);
  }

  async close(): Promise<void> {}

  /** Sends to the client, in a turn of its own. */
  say(message: object): void {
    setImmediate(() => this.#receive(JSON.stringify({ jsonrpc: '2.0', ...message })));
  }
}

const DISCOVERY = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
  ttlMs: 0,
  cacheScope: 'private',
};

/** A client of a modern server at the other end of a pipe, which replies to all but the probe as the test says. */
export async function connectPipe(
  reply: Reply,
  options: Parameters<typeof connect>[1] = {},
): Promise<{ client: Client; pipe: RawPipe }> {
  const pipe = new RawPipe((message, self) => {
    if (message.method === 'server/discover') self.say({ id: message.id, result: DISCOVERY });
    else reply(message, self);
  });
  const client = await connect(pipe, { onWarning: () => {}, ...options });
  onTestFinished(() => client.close());
  return { client, pipe };
}

export const text = ({ id }: Message, value: string) => ({
  id,
  result: { resultType: 'complete', content: [{ type: 'text', text: value }] },
});
