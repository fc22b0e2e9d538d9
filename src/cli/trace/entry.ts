/** The side that sent something. */
export type Side = 'client' | 'server';

/** One thing that passed between a client and a server; a line of a recording. */
export interface TraceEntry {
  /** Milliseconds since the trace began. */
  readonly at: number;
  readonly from: Side;
  /** The number of the HTTP request that it belongs to; absent over stdio. */
  readonly exchange?: number;
  /** A JSON-RPC message. */
  readonly message?: Readonly<Record<string, unknown>>;
  /** The beginning of what is no message: noise on standard output, a web page, an event of another kind. */
  readonly text?: string;
  /** The start of an HTTP request. */
  readonly request?: { readonly method: string; readonly path: string; readonly headers: HeaderMap };
  /** The start of an HTTP response. */
  readonly response?: { readonly status: number; readonly headers: HeaderMap };
  /** Why nothing more comes: a stream was closed, a request failed, a program exited. */
  readonly end?: string;
  /** Whether that end is a failure. */
  readonly failed?: boolean;
}

export type HeaderMap = Readonly<Record<string, string>>;

/** An entry before it has its time. */
export type Passed = Omit<TraceEntry, 'at'>;

/** The first line of a recording. */
export interface TraceHeader {
  /** The version of the format. */
  readonly tenonTrace: number;
  /** The version of tenon that recorded it. */
  readonly tenon: string;
  readonly startedAt: string;
  readonly target: string;
  readonly transport: 'http' | 'stdio';
  readonly masked: boolean;
}

/** The version of the format that this version of tenon writes, and the newest that it reads. */
export const TRACE_FORMAT = 1;
