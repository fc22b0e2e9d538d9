import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  Cancelled,
  type ChangeFilter,
  type Client,
  type ConnectOptions,
  type ConnectTarget,
  type CreateMessageResult,
  connect,
  type ElicitResult,
  McpError,
  type QuestionContext,
  type Root,
  type Traffic,
} from 'tenon/client';
import type { PageEvent, PageQuestion, QuestionAnswer } from './api.js';

export interface ConnectionOptions {
  target: ConnectTarget;
  /** The revision to speak; undefined for the newest that the server has. */
  revision: string | undefined;
  /** Headers, access and the like. */
  options: ConnectOptions;
  tell(event: PageEvent): void;
}

/** A question that waits for the user. */
interface OpenQuestion {
  readonly question: PageQuestion;
  answer(answer: QuestionAnswer): void;
}

interface RunningCall {
  readonly controller: AbortController;
  /** Whether the server may ask, log and report while it runs. */
  readonly isWork: boolean;
}

/** One client of the page, in one revision: it sends requests, and puts the server's questions to the user. */
export class PageConnection {
  readonly name: string;
  readonly #given: ConnectionOptions;
  readonly #tell: (event: PageEvent) => void;
  readonly #running = new Map<string, RunningCall>();
  readonly #questions = new Map<string, OpenQuestion>();
  /** The call on whose behalf the current code runs. */
  readonly #call = new AsyncLocalStorage<string>();
  /** The calls by the ids of their requests, so that answers find them. */
  readonly #callOf = new Map<unknown, string>();
  #client: Promise<Client> | undefined;
  /** The resources that each page watches. */
  readonly #watched = new Map<string, readonly string[]>();
  #watching: { controller: AbortController; wanted: readonly string[] } | undefined;

  constructor(name: string, given: ConnectionOptions) {
    this.name = name;
    this.#given = given;
    this.#tell = given.tell;
  }

  /** The client, which is connected if it is not. */
  open(): Promise<Client> {
    this.#client ??= this.#connect().catch(error => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  async request(
    call: string,
    method: string,
    params: Record<string, unknown>,
  ): Promise<Record<string, unknown>> {
    const client = await this.open();
    const controller = new AbortController();
    this.#running.set(call, { controller, isWork: WORK.has(method) });
    try {
      return await this.#call.run(call, () =>
        client.request(method, params, {
          signal: controller.signal,
          // People need time to answer questions.
          timeoutMs: CALL_MS,
          maxTimeoutMs: CALL_MS,
          onProgress: progress => this.#tell({ type: 'progress', call, ...progress }),
        }),
      );
    } finally {
      this.#running.delete(call);
    }
  }

  /** Returns whether this connection has such a call. */
  cancel(call: string): boolean {
    const running = this.#running.get(call);
    running?.controller.abort(new Cancelled('you cancelled the call'));
    return running !== undefined;
  }

  /** Returns whether this connection has asked such a question. */
  answer(id: string, answer: QuestionAnswer): boolean {
    const open = this.#questions.get(id);
    open?.answer(answer);
    return open !== undefined;
  }

  /** The questions that wait for an answer. */
  get questions(): PageQuestion[] {
    return [...this.#questions.values()].map(({ question }) => question);
  }

  /** Passes on changes of lists, and of the resources that any open page watches. */
  async watch(page: string, resources: readonly string[]): Promise<void> {
    const client = await this.open();
    this.#watched.delete(page);
    this.#watched.set(page, resources);
    if (this.#watched.size > MAX_PAGES) this.#watched.delete([...this.#watched.keys()][0] ?? page);
    const wanted = [...new Set([...this.#watched.values()].flat())].sort();
    if (this.#watching?.wanted.join('\n') === wanted.join('\n')) return;
    this.#watching?.controller.abort();
    const controller = new AbortController();
    this.#watching = { controller, wanted };
    const { tools, prompts, resources: offered } = client.server.capabilities;
    const lists = {
      tools: tools?.listChanged === true,
      prompts: prompts?.listChanged === true,
      resources: offered?.listChanged === true,
    };
    if (Object.values(lists).includes(true)) void this.#passOn(client, lists, controller.signal);
    if (offered?.subscribe && wanted.length > 0)
      void this.#passOn(client, { resources: wanted }, controller.signal);
  }

  async close(): Promise<void> {
    this.#watching?.controller.abort();
    for (const { controller } of this.#running.values())
      controller.abort(new Cancelled('the page was closed'));
    const client = await this.#client?.catch(() => undefined);
    await client?.close();
  }

  #connect(): Promise<Client> {
    const { target, revision, options } = this.#given;
    const connection = this.name;
    return connect(target, {
      ...options,
      revision,
      cache: false,
      logLevel: 'debug',
      onElicit: (form, context) => this.#ask<ElicitResult>('elicitation/create', form, context),
      onElicitUrl: (page, context) => this.#ask<ElicitResult>('elicitation/create', page, context),
      onSample: (params, context) =>
        this.#ask<CreateMessageResult>('sampling/createMessage', params, context),
      roots: async context => (await this.#ask<{ roots: Root[] }>('roots/list', {}, context)).roots,
      onStatus: status => this.#tell({ type: 'status', connection, status }),
      onWarning: message => this.#tell({ type: 'warning', message }),
      onMessage: traffic => this.#show(traffic),
      onClose: reason => {
        this.#tell({
          type: 'closed',
          connection,
          reason: reason?.message ?? 'the server closed the connection',
        });
      },
    });
  }

  /** Puts a question to the user. */
  #ask<A>(method: PageQuestion['method'], params: object, { signal }: QuestionContext): Promise<A> {
    const id = randomUUID();
    const call = this.#call.getStore() ?? this.#onlyCall();
    return new Promise<A>((resolve, reject) => {
      const close = () => {
        this.#questions.delete(id);
        signal.removeEventListener('abort', giveUp);
        this.#tell({ type: 'question-closed', id });
      };
      const giveUp = () => {
        close();
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp);
      const question = { id, call, method, params: { ...params } };
      this.#questions.set(id, {
        question,
        answer(answer) {
          close();
          if ('result' in answer) resolve(answer.result as A);
          else reject(new McpError(REFUSED, 'The user refused'));
        },
      });
      this.#tell({ type: 'question', connection: this.name, question });
    });
  }

  #show(traffic: Traffic): void {
    const at = Date.now();
    const call = this.#callFor(traffic);
    const { direction } = traffic;
    const shown = direction === 'failed' ? { problem: traffic.error.message } : traffic;
    this.#tell({ type: 'message', connection: this.name, call, traffic: { at, ...shown, direction } });
  }

  /** The call that a message belongs to. What a server sends by itself belongs to the only call that runs. */
  #callFor(traffic: Traffic): string | undefined {
    const id = traffic.direction === 'failed' ? traffic.id : traffic.message.id;
    if (traffic.direction === 'sent') {
      const call = this.#call.getStore() ?? this.#onlyCall();
      if (call !== undefined && 'method' in traffic.message && id !== undefined) this.#callOf.set(id, call);
      return call;
    }
    const isAnswer = traffic.direction === 'failed' || !('method' in traffic.message);
    const call = isAnswer ? this.#callOf.get(id) : this.#onlyCall();
    if (isAnswer) this.#callOf.delete(id);
    return call;
  }

  #onlyCall(): string | undefined {
    const working = [...this.#running].filter(([, { isWork }]) => isWork);
    return working.length === 1 ? working[0]?.[0] : undefined;
  }

  async #passOn(client: Client, filter: ChangeFilter, signal: AbortSignal): Promise<void> {
    try {
      for await (const change of client.changes(filter, { signal })) {
        this.#tell({ type: 'changed', connection: this.name, change });
      }
    } catch (error) {
      if (!signal.aborted) this.#tell({ type: 'warning', message: (error as Error).message });
    }
  }
}

/** Requests during which a server may ask, log and report. */
const WORK = new Set(['tools/call', 'prompts/get', 'resources/read']);
/** The code of a refusal by the user: https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling */
const REFUSED = -1;
/** Pages that were closed are forgotten when there are this many. */
const MAX_PAGES = 20;
/** How long a call may take, with the time that people need for answers. */
const CALL_MS = 60 * 60_000;
