import { TenonError, UsageError } from '../base/errors.js';
import { type ClientCapability, capabilityShape } from './capabilities.js';
import { AnswerTimeout } from './failures.js';

/**
 * The error codes of JSON-RPC and of MCP.
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
  /** Handshake revisions only. */
  resourceNotFound: -32002,
  /** 2025-11-25 only. */
  urlElicitationRequired: -32042,
} as const;

/**
 * Why a request was refused, where the code alone does not tell. A revision looks at this to choose the
 * code, or the kind of answer, that its clients know.
 */
export type Reason =
  | 'resource-not-found'
  | 'invalid-arguments'
  | 'missing-capability'
  | 'page-required'
  | 'no-answer';

/**
 * An error that is meant for the peer: its code, message and data are sent as they are.
 *
 * @example
 * throw new McpError(ERROR.invalidParams, 'page must be at least 1', { page: 0 });
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

  /** Any thrown value as an error for the peer. The text of an unexpected one stays here. */
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
  return new McpError(ERROR.methodNotFound, `method not found: ${method}`);
}

/**
 * There is no such resource. Clients of every revision get the code that theirs has for it.
 *
 * @example
 * server.resource('menu://{day}', {}, ({ day }, ctx) => {
 *   if (!menus.has(day)) throw resourceNotFound(ctx.uri);
 *   return menus.get(day);
 * });
 */
export function resourceNotFound(uri: string): McpError {
  return new McpError(
    ERROR.invalidParams,
    `resource not found: ${uri}`,
    { uri },
    { reason: 'resource-not-found' },
  );
}

/** The arguments of a tool do not fit its schema. */
export function invalidArguments(message: string): McpError {
  return new McpError(ERROR.invalidParams, message, undefined, { reason: 'invalid-arguments' });
}

export function missingCapability(capability: ClientCapability, purpose: string): McpError {
  return new McpError(
    ERROR.missingCapability,
    `${purpose} needs the client capability "${capability}", which this client did not declare`,
    { requiredCapabilities: capabilityShape(capability) },
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
 * The user has to visit pages first, such as a consent screen; then the client sends the request again.
 * Clients of 2025-11-25 get error `-32042`, newer ones a question; older ones, and those of 2025-11-25 that did not
 * declare `elicitation.url`, a text.
 *
 * @example
 * if (!tokens.has(ctx.caller?.principal)) throw pagesRequired([{ message: 'Please sign in', url: signInUrl }]);
 */
export function pagesRequired(pages: readonly RequiredPage[]): McpError {
  if (pages.length === 0) throw new UsageError('pagesRequired needs at least one page');
  const elicitations = pages.map(page => ({ mode: 'url', elicitationId: crypto.randomUUID(), ...page }));
  const list = pages.map(({ message, url }) => `${message}: ${url}`).join('; ');
  return new McpError(ERROR.urlElicitationRequired, list, { elicitations }, { reason: 'page-required' });
}

/**
 * A failure that the model should read: a tool that throws it ends with `isError: true` and this text. From
 * prompts and resources the text goes out as an error. The text of every other error stays on the server.
 *
 * @example
 * throw new ToolError('The restaurant is closed on Mondays.');
 */
export class ToolError extends TenonError {
  override readonly name = 'ToolError';
  override readonly kind = 'tool';
}
