import { errorText, type RequestId, resultText } from '../jsonrpc/message.js';
import type { Call, Result, Service } from '../protocol/call.js';
import { ERROR, McpError } from '../protocol/errors.js';
import { type Awaitable, settle } from '../protocol/settle.js';
import { isShared } from '../protocol/shared-result.js';
import { encodeError, encodeFailure } from '../revisions/encode.js';
import type { Revision } from '../revisions/index.js';

/** The answer to one request: its text, and the code if it is an error. */
export interface Answer {
  text: string;
  code?: number;
}

/** Turns a result into the text that goes out. */
export type ResultEncoder = (method: string, result: Result) => string;

/**
 * Lets the service handle a call and puts its outcome into words. Never throws: whatever happens becomes
 * an answer, and what nobody expected is reported on this side only.
 */
export function answerCall(
  service: Service,
  revision: Revision,
  encode: ResultEncoder,
  call: Call & { readonly id: RequestId },
  own?: (call: Call) => Awaitable<Result>,
): Awaitable<Answer> {
  const { id } = call;
  return settle<Result, Answer>(
    () => service.handle(call, own),
    result => ({ text: resultText(id, encode(call.method, result)) }),
    thrown => answerFailure(service, revision, encode, call, thrown),
  );
}

export function answerError(revision: Revision, id: RequestId | undefined, error: McpError): Answer {
  const encoded = encodeError(revision, error);
  return { text: errorText(id, encoded), code: encoded.code };
}

/** An encoder that keeps the text of results which many requests share. */
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
  { id, method, signal }: Call & { readonly id: RequestId },
  thrown: unknown,
): Answer {
  const error = McpError.from(thrown);
  if (error.code === ERROR.internal && error.cause !== undefined && !signal.aborted) {
    service.report(error.cause, method);
  }
  const failure = encodeFailure(revision, method, error);
  return failure ? { text: resultText(id, encode(method, failure)) } : answerError(revision, id, error);
}
