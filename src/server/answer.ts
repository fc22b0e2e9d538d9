import { UsageError } from '../base/errors.js';
import { writeJson } from '../base/json.js';
import { type Awaitable, andThen, settle } from '../base/settle.js';
import { errorText, type RequestId, resultText } from '../jsonrpc/message.js';
import type { Call, Result } from '../protocol/call.js';
import { ERROR, McpError } from '../protocol/errors.js';
import type { Service } from '../protocol/service.js';
import { isShared } from '../protocol/shared-result.js';
import { encodeError, encodeFailure, withAllowedCode } from '../revisions/encode.js';
import type { Revision } from '../revisions/index.js';

/** The response to one request as text, and its code if it is an error. */
export interface AnswerText {
  text: string;
  code?: number;
}

/** Takes the response to a call, exactly once; undefined if the client no longer wants one. */
export type Deliver = (answer: AnswerText | undefined) => void;

/** Turns a response that is delivered by callback into a promise. */
export function answerTo(respond: (deliver: Deliver) => void): Promise<AnswerText | undefined> {
  return new Promise(respond);
}

/** A call together with the id that its response needs. */
export interface AnsweredCall extends Call {
  readonly id: RequestId;
}

/** How an era changes the outcome of a call before it is written. */
export interface AnswerHooks<C> {
  /** Makes the final result; undefined if the response comes from elsewhere. */
  finish?(result: Result, call: C): Awaitable<Result> | undefined;
  /** Whether an error is dropped, because the response comes from elsewhere. */
  ignores?(thrown: unknown, call: C): boolean;
  /** The result to send instead of an error; undefined if the error itself is sent. */
  rescue?(thrown: unknown, call: C): Awaitable<Result> | undefined;
}

/** Turns a result into the text that goes out. */
export type ResultEncoder = (method: string, result: Result) => string;

/**
 * Runs a call and delivers its response as text. Never throws: every outcome becomes a response, and an unexpected
 * error is reported on this side only.
 */
export function answerCall<C extends AnsweredCall>(
  service: Service,
  revision: Revision,
  encode: ResultEncoder,
  call: C,
  work: () => Awaitable<Result>,
  outcome: { finish(answer: AnswerText): void },
  hooks?: AnswerHooks<C>,
): void {
  const write = (result: Result | undefined) => {
    if (result) outcome.finish({ text: resultText(call.id, encode(call.method, result)) });
  };
  const fail = (thrown: unknown) => {
    if (!hooks?.ignores?.(thrown, call))
      outcome.finish(answerFailure(service, revision, encode, call, thrown));
  };
  void settle(
    work,
    result => andThen(hooks?.finish ? hooks.finish(result, call) : result, write),
    thrown =>
      settle(
        () => hooks?.rescue?.(thrown, call),
        rescued => (rescued ? write(rescued) : fail(thrown)),
        fail,
      ),
  );
}

export function answerError(revision: Revision, id: RequestId | undefined, error: McpError): AnswerText {
  const encoded = encodeError(revision, error);
  return { text: errorText(id, encoded), code: encoded.code };
}

/** Wraps an encoder so that it keeps the text of results that many requests share. */
export function keepShared(encode: ResultEncoder): ResultEncoder {
  const kept = new WeakMap<object, string>();
  return (method, result) => {
    if (!isShared(result)) return encode(method, result);
    let text = kept.get(result);
    if (text === undefined) {
      text = encode(method, result);
      kept.set(result, text);
    }
    return text;
  };
}

function answerFailure(
  service: Service,
  revision: Revision,
  encode: ResultEncoder,
  call: AnsweredCall,
  thrown: unknown,
): AnswerText {
  const { id, method } = call;
  const error = withAllowedCode(revision, McpError.from(thrown));
  const failure = encodeFailure(revision, method, error);
  if (!failure) return answerThrown(service, revision, call, error);
  if (!call.signal.aborted) reportCause(service, method, error);
  return { text: resultText(id, encode(method, failure)) };
}

/** The error response for a thrown value. Authors may have thrown it. */
export function answerThrown(
  service: Service,
  revision: Revision,
  request: { readonly id?: RequestId | undefined; readonly method: string; readonly signal?: AbortSignal },
  thrown: unknown,
): AnswerText {
  const { id, method, signal } = request;
  const error = withAllowedCode(revision, McpError.from(thrown));
  if (!signal?.aborted) reportCause(service, method, error);
  try {
    return answerError(revision, id, error);
  } catch (unwritable) {
    // JSON may not be able to carry the data of an error.
    service.report(unwritable, method);
    return answerError(revision, id, McpError.from(unwritable));
  }
}

function reportCause(service: Service, method: string, error: McpError): void {
  if (error.code === ERROR.internal && 'cause' in error) service.report(error.cause, method);
}

/** The JSON of an object. A handler may return anything, but only an object may be sent as a result. */
export function objectText(value: object): string {
  const text: string | undefined = writeJson(value, 'the result');
  if (!text?.startsWith('{')) throw new UsageError('a result must be an object that JSON can carry');
  return text;
}
