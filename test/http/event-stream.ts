/** One server-sent event as it was written, before anybody interprets it. */
export interface SentEvent {
  event?: string;
  id?: string;
  retry?: number;
  data?: string;
}

/** A JSON-RPC message as it came off the wire. */
export interface RpcMessage {
  jsonrpc: string;
  id?: string | number;
  method?: string;
  params?: any;
  result?: any;
  error?: { code: number; message: string; data?: any };
}

/**
 * Reads an event stream from a response, with a parser of its own, so that a mistake in the one that Tenon
 * uses does not hide the same mistake here.
 */
export class EventStream {
  readonly response: Response;
  /** Every event so far, taken or not. */
  readonly events: SentEvent[] = [];
  readonly comments: string[] = [];
  readonly #controller: AbortController;
  #taken = 0;
  #ended = false;
  #failed = false;
  #wake: (() => void)[] = [];

  constructor(response: Response, controller: AbortController) {
    this.response = response;
    this.#controller = controller;
    void this.#read();
  }

  /** The next event; undefined when the stream is over. */
  async next(): Promise<SentEvent | undefined> {
    await this.#until(() => this.events.length > this.#taken);
    return this.events[this.#taken++];
  }

  /** The next event that carries a message, as that message. Fails if the stream ends without one. */
  async message(): Promise<RpcMessage> {
    for (let event = await this.next(); event; event = await this.next()) {
      if (event.data) return JSON.parse(event.data);
    }
    throw new Error('the stream ended before another message came');
  }

  /** All messages up to the end of the stream. */
  async rest(): Promise<RpcMessage[]> {
    const messages: RpcMessage[] = [];
    for (let event = await this.next(); event; event = await this.next()) {
      if (event.data) messages.push(JSON.parse(event.data));
    }
    return messages;
  }

  async comment(): Promise<string> {
    await this.#until(() => this.comments.length > 0);
    const [first] = this.comments;
    if (first === undefined) throw new Error('the stream ended without a comment');
    return first;
  }

  /** Whether the server ended the stream properly, as opposed to a broken connection. */
  async ended(): Promise<boolean> {
    await this.#until(() => false);
    return !this.#failed;
  }

  /** Destroys the connection, as a network failure would. */
  cut(): void {
    this.#controller.abort();
  }

  get lastId(): string | undefined {
    return this.events.slice(0, this.#taken).findLast(event => event.id !== undefined)?.id;
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const chunk of this.response.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() as string;
        for (const block of blocks) this.#take(block);
        this.#signal();
      }
    } catch {
      this.#failed = true;
    }
    this.#ended = true;
    this.#signal();
  }

  #take(block: string): void {
    const sent: SentEvent = {};
    for (const line of block.split('\n')) {
      const [, field, value] = /^(\w*):? ?(.*)$/.exec(line) ?? [];
      if (line.startsWith(':')) this.comments.push(line);
      else if (field === 'retry') sent.retry = Number(value);
      else if (field === 'data') sent.data = sent.data === undefined ? value! : `${sent.data}\n${value}`;
      else if (field === 'id' || field === 'event') sent[field] = value!;
      else throw new Error(`not a line of an event stream: ${line}`);
    }
    if (Object.keys(sent).length > 0) this.events.push(sent);
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition() && !this.#ended) await new Promise<void>(resolve => this.#wake.push(resolve));
  }

  #signal(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
