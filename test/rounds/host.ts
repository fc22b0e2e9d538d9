import type { Desk, Transport } from './desk.js';

/** What somebody enters into a form, or that they do not want to. */
export type Reply = Record<string, string | number | boolean> | 'decline' | 'cancel';

/** Who answers: by the beginning of the question. */
export class User {
  /** Every question, in the order in which they were shown. */
  readonly asked: string[] = [];
  readonly #replies: Map<string, Reply[]>;

  /** Several replies to one question are given one after the other; the last one stays. */
  constructor(replies: Record<string, Reply | Reply[]>) {
    this.#replies = new Map(
      Object.entries(replies).map(([begin, reply]) => [begin, Array.isArray(reply) ? [...reply] : [reply]]),
    );
  }

  fillIn({ message }: { message: string }): { action: string; content?: object } {
    this.asked.push(message);
    for (const [begin, replies] of this.#replies) {
      if (!message.startsWith(begin)) continue;
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      return typeof reply === 'object' ? { action: 'accept', content: reply } : { action: reply as string };
    }
    throw new Error(`nobody knows what to answer: ${message}`);
  }
}

/** A client of any make that is connected to a travel desk: all that the scenario needs of it. */
export interface Host {
  readonly revision: string;
  /** The desk, where it runs in this process. */
  readonly desk: Desk | undefined;
  /** Answers what the server asks from now on. */
  user: User;
  callTool(name: string, args: object): Promise<{ text: string; isError: boolean }>;
  getPrompt(name: string, args: Record<string, string>): Promise<string>;
  readResource(uri: string): Promise<string>;
  close(): Promise<void>;
}

export type Connect = (transport: Transport, revision: string) => Promise<Host>;

export const CLIENT_INFO = { name: 'rounds', version: '1.0.0' };
export const CAPABILITIES = { elicitation: { form: {} } };

/** The text of results, which have the same shape in every client. */
export function textOfTool(result: unknown): { text: string; isError: boolean } {
  const { content, isError } = result as { content: { text: string }[]; isError?: boolean };
  return { text: content.map(({ text }) => text).join('\n'), isError: isError === true };
}

export function textOfPrompt(result: unknown): string {
  const { messages } = result as { messages: { content: { text: string } }[] };
  return messages.map(({ content }) => content.text).join('\n');
}

export function textOfResource(result: unknown): string {
  const { contents } = result as { contents: { text: string }[] };
  return contents.map(({ text }) => text).join('\n');
}
