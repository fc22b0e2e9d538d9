import { type Desk, openDesk, type Transport } from './desk.js';
import {
  CAPABILITIES,
  CLIENT_INFO,
  type Host,
  textOfPrompt,
  textOfResource,
  textOfTool,
  User,
} from './host.js';
import { type Message, openWire, type Wire } from './wire.js';

const MODERN = '2026-07-28';

/** A client without a library. It knows what the specification says, for every revision, and nothing of Tenon. */
export async function connectRaw(transport: Transport, revision: string): Promise<Host> {
  const desk = transport === 'stdio' ? undefined : await openDesk();
  const client = new RawClient(revision, desk);
  await client.open(transport);
  return client;
}

class RawClient implements Host {
  readonly revision: string;
  readonly desk: Desk | undefined;
  user = new User({});
  readonly #pending = new Map<number, (response: Message) => void>();
  #wire!: Wire;
  #lastId = 0;

  constructor(revision: string, desk: Desk | undefined) {
    this.revision = revision;
    this.desk = desk;
  }

  async open(transport: Transport): Promise<void> {
    this.#wire = await openWire(transport, this.desk, message => this.#receive(message));
    if (this.revision === MODERN) return;
    await this.#request('initialize', {
      protocolVersion: this.revision,
      capabilities: CAPABILITIES,
      clientInfo: CLIENT_INFO,
    });
    await this.#wire.send({ method: 'notifications/initialized' });
  }

  async callTool(name: string, args: object) {
    return textOfTool(await this.#call('tools/call', { name, arguments: args }));
  }

  async getPrompt(name: string, args: Record<string, string>) {
    return textOfPrompt(await this.#call('prompts/get', { name, arguments: args }));
  }

  async readResource(uri: string) {
    return textOfResource(await this.#call('resources/read', { uri }));
  }

  async close() {
    await this.#wire.close();
    await this.desk?.close();
  }

  /** Sends a request until its result is complete, with the answers to what the server needs to know. */
  async #call(method: string, params: object): Promise<object> {
    if (this.revision !== MODERN) return this.#request(method, params);
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
      'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
    };
    let result = await this.#request(method, { ...params, _meta });
    while (result.resultType === 'input_required') {
      const { requestState, inputRequests } = result as unknown as InputRequired;
      const inputResponses = Object.fromEntries(
        Object.entries(inputRequests).map(([key, question]) => [key, this.#answer(question)]),
      );
      result = await this.#request(method, { ...params, _meta, requestState, inputResponses });
    }
    return result;
  }

  async #request(method: string, params: object): Promise<Record<string, unknown>> {
    const id = ++this.#lastId;
    const answered = new Promise<Message>(resolve => this.#pending.set(id, resolve));
    await this.#wire.send({ id, method, params: params as Record<string, unknown> });
    const { result, error } = await answered;
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
    return result as Record<string, unknown>;
  }

  #receive(message: Message): void {
    if (message.method === undefined) return this.#pending.get(message.id as number)?.(message);
    if (message.id === undefined) return;
    // What the server asks while a request is open, on the revisions where it can.
    void this.#wire.send({ id: message.id, result: this.#answer(message) as Record<string, unknown> });
  }

  #answer({ method, params }: Message): object {
    if (method !== 'elicitation/create') throw new Error(`the client was asked for ${method}`);
    return this.user.fillIn(params as { message: string });
  }
}

interface InputRequired {
  requestState: string;
  inputRequests: Record<string, Message>;
}
