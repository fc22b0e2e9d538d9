import { appsExtension } from 'tenon/apps/host';
import {
  Cancelled,
  type Client,
  type ConnectOptions,
  type ConnectTarget,
  type CreateMessageResult,
  connect,
  type ElicitResult,
  type QuestionContext,
  type Root,
  type Traffic,
} from 'tenon/client';
import { tasksClient } from 'tenon/tasks/client';
import type { PageEvent, PageQuestion } from './api.js';
import { OpenQuestions } from './questions.js';
import { RunningCalls } from './running-calls.js';
import { RunningTasks } from './running-tasks.js';
import { Watching } from './watching.js';

export interface ConnectionOptions {
  target: ConnectTarget;
  /** The revision to speak; undefined for the newest that the server has. */
  revision: string | undefined;
  /** Headers, access and the like. */
  options: ConnectOptions;
  tell(event: PageEvent): void;
}

/** How long a call may take, with the time that people need for answers. */
const CALL_MS = 60 * 60_000;

/** One client of the page, in one revision: it sends requests, and puts the server's questions to the user. */
export class PageConnection {
  readonly name: string;
  readonly calls = new RunningCalls();
  readonly questions: OpenQuestions;
  readonly tasks: RunningTasks;
  readonly #given: ConnectionOptions;
  readonly #tell: (event: PageEvent) => void;
  readonly #watching: Watching;
  /** Ends connecting, which may wait for a sign-in. */
  readonly #connecting = new AbortController();
  #client: Promise<Client> | undefined;

  constructor(name: string, given: ConnectionOptions) {
    const { tell } = given;
    this.name = name;
    this.#given = given;
    this.#tell = tell;
    this.questions = new OpenQuestions({
      onAsked: question => tell({ type: 'question', connection: name, question }),
      onClosed: id => tell({ type: 'question-closed', id }),
    });
    this.tasks = new RunningTasks((call, task) => tell({ type: 'task', call, task }));
    this.#watching = new Watching({
      onChange: change => tell({ type: 'changed', connection: name, change }),
      onWarning: message => tell({ type: 'warning', message }),
    });
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
    const outcome = this.calls.run(call, method, signal =>
      client.request(method, params, {
        signal,
        onTask: task => this.tasks.note({ call, method, params, task }, outcome),
        timeoutMs: CALL_MS,
        maxTimeoutMs: CALL_MS,
        onProgress: progress => this.#tell({ type: 'progress', call, ...progress }),
      }),
    );
    return outcome;
  }

  /** Passes on changes of lists, and of the resources that any open page watches. */
  async watch(page: string, resources: readonly string[]): Promise<void> {
    this.#watching.watch(await this.open(), page, resources);
  }

  async close(): Promise<void> {
    this.#watching.close();
    this.calls.cancelAll('the page was closed');
    this.#connecting.abort(new Cancelled('the page was closed'));
    const client = await this.#client?.catch(() => undefined);
    await client?.close();
  }

  #connect(): Promise<Client> {
    const { target, revision, options } = this.#given;
    const connection = this.name;
    return connect(target, {
      ...options,
      revision,
      extensions: [...(options.extensions ?? []), appsExtension, tasksClient()],
      signal: this.#connecting.signal,
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

  #ask<A>(method: PageQuestion['method'], params: object, context: QuestionContext): Promise<A> {
    return this.questions.ask({ call: this.calls.current, method, params: { ...params } }, context);
  }

  #show(traffic: Traffic): void {
    const at = Date.now();
    const call = this.calls.callOf(traffic);
    const { direction } = traffic;
    const shown = direction === 'failed' ? { problem: traffic.error.message } : traffic;
    this.#tell({ type: 'message', connection: this.name, call, traffic: { at, ...shown, direction } });
  }
}
