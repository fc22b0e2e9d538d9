import type { JsonObject } from 'tenon/protocol';
import { isObject } from '../is-object.js';

const MAX_MESSAGE = 500;

/** A response of JSON-RPC. */
export interface Answer {
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** The rules of JSON-RPC that it breaks. */
  readonly faults: readonly string[];
}

/** The value of a JSON text; undefined if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads the response to a request with this id; undefined if the message is something else. */
export function readAnswer(message: unknown, id: number): Answer | undefined {
  if (!isObject(message) || 'method' in message) return undefined;
  const { result, error } = message;
  if (!isObject(result) && !isObject(error)) return undefined;
  const isOurs = message.id === id;
  // An error that is found before the id is read has none.
  if (
    !isOurs &&
    !(error && (message.id === undefined || message.id === null)) &&
    String(message.id) !== `${id}`
  )
    return undefined;
  const faults = [
    ...(message.jsonrpc === '2.0' ? [] : ['there is no "jsonrpc": "2.0"']),
    ...(isOurs || error ? [] : [`the id is ${JSON.stringify(message.id)} instead of ${id}`]),
    ...(result && error ? ['there are both a result and an error'] : []),
    ...(isObject(error) && !Number.isInteger(error.code) ? ['the code of the error is not an integer'] : []),
  ];
  if (!isObject(error)) return { result: result as JsonObject, faults };
  return {
    error: {
      code: Number(error.code),
      message: String(error.message ?? '').slice(0, MAX_MESSAGE),
      data: error.data,
    },
    faults,
  };
}

/** An answer in a few words. */
export function describeAnswer({ result, error }: Answer): string {
  return error ? `error ${error.code}: ${error.message}` : result ? 'a result' : 'nothing';
}
