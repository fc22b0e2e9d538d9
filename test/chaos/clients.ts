import { bearer } from 'tenon/auth/client';
import {
  type Client,
  type ClientMiddleware,
  ConnectionError,
  connect,
  ERROR,
  HttpError,
  McpError,
  RequestTimeout,
  TenonError,
} from 'tenon/client';
import { tasksClient } from 'tenon/tasks/client';

/** Connects a client of a principal that answers every question with a name of its own. */
export function connectAs(
  principal: string,
  url: string,
  middleware: ClientMiddleware[] = [],
): Promise<Client> {
  return connect(new URL('/mcp', url), {
    auth: bearer(principal),
    revision: '2026-07-28',
    extensions: [tasksClient()],
    middleware,
    onElicit: ({ message }) => ({ action: 'accept', content: { name: answerTo(message) } }),
    onWarning: () => {},
  });
}

/** The answer to a question, which no other question has. */
export function answerTo(message: string): string {
  return `the ${message}`;
}

/** The text of the first content of a result, which is JSON. */
export function readText(result: object): Record<string, unknown> {
  const { content } = result as { content?: { text?: string }[] };
  return JSON.parse(content?.[0]?.text ?? '{}');
}

/** What kind of typed error this is; undefined if it is none. */
export function kindOf(error: unknown): string | undefined {
  if (error instanceof McpError) return `error ${error.code}`;
  if (error instanceof HttpError) return `HTTP ${error.status}`;
  return error instanceof TenonError ? error.kind : undefined;
}

/** Whether a request may be sent again: the server could not be reached, or was busy. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof McpError) return error.code === ERROR.busy;
  if (error instanceof HttpError) return error.status >= 500;
  return error instanceof ConnectionError || error instanceof RequestTimeout;
}

/** Whether a server says that it does not know whether a task was begun. */
export function isUnknownBeginning(error: unknown): boolean {
  return error instanceof McpError && /it may run all the same/.test(error.message);
}

/** Whether a server refused a state because it was used before. */
export function isUsedState(error: unknown): boolean {
  return (
    error instanceof McpError && error.code === ERROR.invalidParams && /used already/.test(error.message)
  );
}

/** Waits as long as a busy server wants, or a moment. */
export async function pauseAfter(error: unknown): Promise<void> {
  const { retryAfterMs = 200 } = ((error as { data?: object }).data ?? {}) as { retryAfterMs?: number };
  await new Promise(resolve => setTimeout(resolve, retryAfterMs));
}
