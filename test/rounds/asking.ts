import { onTestFinished } from 'vitest';
import {
  type ClientCapabilities,
  type Context,
  type InputRequest,
  type JsonObject,
  McpError,
  Server,
} from '../../src/server/index.js';
import { connectRaw, type RawClient, type RawClientOptions } from '../raw-client.js';

export const EVERYTHING: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {},
};

/** A form with one text, so that any answer can be told from any other. */
export const TEXT = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
} as const;

export type Handler = (ctx: Context, args: Record<string, unknown>) => unknown;

/** A client of 2026-07-28 whose requests can be followed from round to round. */
export interface Asked {
  readonly client: RawClient;
  readonly server: Server;
  /** What the author would have been told of. */
  readonly errors: unknown[];
  /** Calls the tool `ask`. */
  call(args?: object): Promise<Round>;
  request(method: string, params: JsonObject): Promise<Round>;
}

/** Serves a tool `ask`, and what else is added, to a client that can answer everything. */
export async function serveAsking(
  handler: Handler,
  {
    add,
    name = 'asking',
    ...options
  }: RawClientOptions & { add?: (server: Server) => void; name?: string } = {},
): Promise<Asked> {
  const errors: unknown[] = [];
  const server = new Server(
    { name, version: '1.0.0' },
    { onError: error => errors.push(error), onWarning: () => {} },
  );
  server.tool('ask', { input: { type: 'object' } }, (args, ctx) => handler(ctx, args) as Promise<string>);
  add?.(server);
  return connectAsking(server, options, errors);
}

/** The same for a server that is there already. */
export async function connectAsking(
  server: Server,
  options: RawClientOptions = {},
  errors: unknown[] = [],
): Promise<Asked> {
  const client = await connectRaw(server, { capabilities: EVERYTHING, ...options });
  onTestFinished(() => client.close());
  const request = (method: string, params: JsonObject) => new Request(client, method, params).send();
  return {
    client,
    server,
    errors,
    request,
    call: (args = {}) => request('tools/call', { name: 'ask', arguments: args }),
  };
}

class Request {
  readonly client: RawClient;
  readonly method: string;
  readonly params: JsonObject;

  constructor(client: RawClient, method: string, params: JsonObject) {
    this.client = client;
    this.method = method;
    this.params = params;
  }

  async send(extra: object = {}, params: JsonObject = this.params): Promise<Round> {
    const outcome = await this.client
      .request(this.method, { ...params, ...extra })
      .then(result => ({ result }))
      .catch((error: unknown) => {
        if (!(error instanceof McpError)) throw error;
        return { error: { code: error.code, message: error.message, data: error.data } };
      });
    return new Round(this, outcome);
  }
}

/** What came of one round: questions, a result, or an error. */
export class Round {
  readonly result: any;
  readonly error: { code: number; message: string; data?: any } | undefined;
  readonly #request: Request;

  constructor(request: Request, outcome: { result?: JsonObject; error?: Round['error'] }) {
    this.#request = request;
    this.result = outcome.result;
    this.error = outcome.error;
  }

  /** What is asked, by its name. */
  get questions(): Record<string, InputRequest> {
    return this.result?.inputRequests ?? {};
  }

  /** The texts of what is asked; for what is no elicitation, its method. */
  get messages(): string[] {
    return Object.values(this.questions).map(question =>
      question.method === 'elicitation/create' ? question.params.message : question.method,
    );
  }

  get state(): string {
    return this.result?.requestState;
  }

  /** The text of a finished tool. */
  get text(): string {
    return this.result?.content?.[0]?.text;
  }

  /** The name under which a question travels. */
  keyOf(message: string): string {
    const at = this.messages.indexOf(message);
    if (at < 0) throw new Error(`"${message}" is not among ${JSON.stringify(this.messages)}`);
    return Object.keys(this.questions)[at] as string;
  }

  /** Goes on with texts for some of the forms, by their questions. */
  answer(texts: Record<string, string>): Promise<Round> {
    const responses = Object.entries(texts).map(([message, text]) => [
      this.keyOf(message),
      accepted({ text }),
    ]);
    return this.respond(Object.fromEntries(responses));
  }

  /** Goes on with an answer to every form: its question, in capitals. */
  answerAll(): Promise<Round> {
    return this.answer(Object.fromEntries(this.messages.map(message => [message, message.toUpperCase()])));
  }

  /** Goes on with any responses, by the names of the questions. */
  respond(inputResponses: unknown): Promise<Round> {
    return this.retry({ inputResponses });
  }

  /** Sends the request again with this state, and anything else. */
  retry(extra: object, params?: JsonObject): Promise<Round> {
    return this.#request.send({ requestState: this.state, ...extra }, params);
  }

  /** Sends the request with a state that is not this one. */
  retryWith(requestState: unknown, extra: object = {}): Promise<Round> {
    return this.#request.send({ requestState, ...extra });
  }

  /** Answers everything until there is nothing left to answer. */
  async finish(): Promise<Round> {
    let round: Round = this;
    while (round.result?.resultType === 'input_required') round = await round.answerAll();
    return round;
  }
}

export function accepted(content: object): object {
  return { action: 'accept', content };
}

/** Asks for a text and returns it; anything but a text if the user did not accept. */
export async function askText(ctx: Context, message: string): Promise<string> {
  const answer = await ctx.elicit(message, TEXT);
  return answer.action === 'accept' ? answer.content.text : answer.action;
}

export const INVALID_STATE = {
  code: -32602,
  message: 'requestState is not valid for this request; start again without it',
  data: undefined,
};
