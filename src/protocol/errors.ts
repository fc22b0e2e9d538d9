import { clip } from '../base/clip.js';
import { TenonError, UsageError } from '../base/errors.js';
import { isObject } from '../base/json.js';
import { type ClientCapability, capabilityShape } from './capabilities.js';
import { AnswerTimeout } from './failures.js';

/**
 * The error codes of JSON-RPC and of MCP.
 *
 * @example
 * if (error instanceof McpError && error.code === ERROR.methodNotFound) return undefined;
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes
 */
export const ERROR = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
  /** The server has no memory for the request now; `data.retryAfterMs` says when to try again. A code of this SDK. */
  busy: -31503,
  /** Handshake revisions only. */
  resourceNotFound: -32002,
  /** 2025-11-25 only. */
  urlElicitationRequired: -32042,
} as const;

/**
 * Why a request was refused, where the code alone is not enough. A revision uses it to choose the error code, or the
 * kind of result, that its clients know.
 */
export type Reason =
  | 'resource-not-found'
  | 'invalid-arguments'
  | 'missing-capability'
  | 'page-required'
  | 'no-answer'
  | 'invalid-answer';

/**
 * An error of the protocol. A client gets it when the server responds with an error: `code` identifies it, `data` has
 * the server's details. A handler throws it to respond with an error: code, message and data are sent as they are.
 *
 * @example
 * server.method('menus/page', params => {
 *   const { page } = params;
 *   if (!(Number(page) >= 1)) throw new McpError(ERROR.invalidParams, 'page must be at least 1', { page });
 *   return { dishes: [] };
 * });
 *
 * try {
 *   await client.request('menus/page', { page: 0 });
 * } catch (error) {
 *   if (error instanceof McpError) console.error(error.code, error.message, error.data);
 * }
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes
 */
export class McpError extends TenonError {
  override readonly name = 'McpError';
  override readonly kind = 'mcp';
  readonly code: number;
  readonly data: unknown;
  readonly reason: Reason | undefined;

  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions & { reason?: Reason }) {
    super(message, options);
    this.code = code;
    this.data = data;
    this.reason = options?.reason;
  }

  /** Turns any thrown value into an error for the peer. The message of an unexpected error is not sent. */
  static from(thrown: unknown): McpError {
    if (thrown instanceof McpError) return thrown;
    if (thrown instanceof ToolError) return new McpError(ERROR.internal, thrown.message);
    if (thrown instanceof AnswerTimeout) {
      return new McpError(ERROR.internal, thrown.message, undefined, { cause: thrown, reason: 'no-answer' });
    }
    return new McpError(ERROR.internal, 'internal error', undefined, { cause: thrown });
  }
}

export function invalidParams(message: string, data?: unknown): McpError {
  return new McpError(ERROR.invalidParams, message, data);
}

export function invalidRequest(message: string): McpError {
  return new McpError(ERROR.invalidRequest, message);
}

export function methodNotFound(method: string): McpError {
  return new McpError(ERROR.methodNotFound, `method not found: ${clip(method)}`);
}

/** Handles a request for a method that does not exist, or belongs to a feature that was not declared. */
export function refuseMethod(method: string): never {
  throw methodNotFound(method);
}

/**
 * There is no such resource. Clients of each revision get that revision's error code.
 *
 * @example
 * server.resource('menu://{day}', {}, ({ day }, ctx) => {
 *   const menu = menus.get(day);
 *   if (menu === undefined) throw resourceNotFound(ctx.uri);
 *   return menu;
 * });
 */
export function resourceNotFound(uri: string): McpError {
  return new McpError(
    ERROR.invalidParams,
    `resource not found: ${clip(uri)}`,
    { uri },
    { reason: 'resource-not-found' },
  );
}

/**
 * Whether an error says that there is no such resource, in the code of any revision: `-32002`, or `-32602` with the URI
 * since 2026-07-28.
 *
 * @example
 * const menu = await client.readResource('menu://sunday').catch(error => {
 *   if (isResourceNotFound(error)) return undefined;
 *   throw error;
 * });
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling
 */
export function isResourceNotFound(error: unknown): error is McpError {
  if (!(error instanceof McpError)) return false;
  if (error.reason === 'resource-not-found' || error.code === ERROR.resourceNotFound) return true;
  return error.code === ERROR.invalidParams && isObject(error.data) && typeof error.data.uri === 'string';
}

/** The arguments of a tool do not match its schema. */
export function invalidArguments(message: string): McpError {
  return new McpError(ERROR.invalidParams, message, undefined, { reason: 'invalid-arguments' });
}

/** The client's answer to a question of a handler cannot be used. */
export function invalidAnswer(message: string): McpError {
  return new McpError(ERROR.invalidParams, message, undefined, { reason: 'invalid-answer' });
}

/** A client that lacks several capabilities is told of all of them, though the message is about the first one. */
export function missingCapability(
  purpose: string,
  ...missing: [ClientCapability, ...ClientCapability[]]
): McpError {
  return new McpError(
    ERROR.missingCapability,
    `${purpose} needs the client capability "${missing[0]}", which this client did not declare`,
    { requiredCapabilities: capabilityShape(...missing) },
    { reason: 'missing-capability' },
  );
}

/** A page that the user has to visit before a request can succeed. */
export interface RequiredPage {
  message: string;
  url: string;
  elicitationId?: string;
}

/**
 * The user has to visit pages first, such as a consent screen; then the client sends the request again. Clients of
 * 2025-11-25 that declared `elicitation.url` get error `-32042`, newer ones a question, all others a text.
 *
 * @example
 * if (!tokens.has(ctx.caller?.principal)) throw pagesRequired([{ message: 'Please sign in', url: signInUrl }]);
 */
export function pagesRequired(pages: readonly RequiredPage[]): McpError {
  if (pages.length === 0) throw new UsageError('pagesRequired needs at least one page');
  const elicitations = pages.map(page => ({ mode: 'url', elicitationId: crypto.randomUUID(), ...page }));
  const list = pages.map(({ message, url }) => `${message}: ${url}`).join('; ');
  const text = `the user has to visit a page, and then to try again: ${list}`;
  return new McpError(ERROR.urlElicitationRequired, text, { elicitations }, { reason: 'page-required' });
}

/**
 * A failure that the model should read. Throw it in a tool, which then ends with `isError: true` and this text; from
 * prompts and resources the text goes out as an error. The text of every other error stays on the server.
 *
 * @example
 * server.tool('reserve', {}, () => {
 *   throw new ToolError('The restaurant is closed on Mondays.');
 * });
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling
 */
export class ToolError extends TenonError {
  override readonly name = 'ToolError';
  override readonly kind = 'tool';
}

/** Whether an error asks the user to visit pages. In revisions with rounds it becomes questions. */
export function isPageRequired(thrown: unknown): thrown is McpError {
  return thrown instanceof McpError && thrown.reason === 'page-required';
}
