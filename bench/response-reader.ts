/** The parts of a response's status line and headers that the reader keeps. */
export interface ResponseHead {
  status: number;
  contentType: string;
  /** Bytes of the body, or undefined when it is chunked. */
  length: number | undefined;
}

/** Called with each complete response. The body is the reader's own buffer: valid until the next response. */
export type OnResponse = (head: ResponseHead, body: Buffer, bodyLength: number) => void;

type State = 'head' | 'body' | 'chunk size' | 'chunk' | 'chunk end' | 'trailer';

/** Reads HTTP/1.1 responses with content-length or chunked framing, however the bytes are cut. */
export class ResponseReader {
  #state: State = 'head';
  #head: ResponseHead | undefined;
  #headText = '';
  #partialLine = '';
  #remaining = 0;
  #body = Buffer.allocUnsafe(64 * 1024);
  #bodyLength = 0;
  #onResponse: OnResponse;

  constructor(onResponse: OnResponse) {
    this.#onResponse = onResponse;
  }

  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      at = this.#state === 'body' || this.#state === 'chunk' ? this.#take(bytes, at) : this.#scan(bytes, at);
    }
  }

  /** Copies the bytes that belong to the body. */
  #take(bytes: Buffer, at: number): number {
    const count = Math.min(this.#remaining, bytes.length - at);
    this.#reserve(count);
    bytes.copy(this.#body, this.#bodyLength, at, at + count);
    this.#bodyLength += count;
    this.#remaining -= count;
    if (this.#remaining === 0) {
      if (this.#state === 'chunk') this.#state = 'chunk end';
      else this.#finish();
    }
    return at + count;
  }

  /** Reads up to the end of the head or line, which may have begun in an earlier read. */
  #scan(bytes: Buffer, at: number): number {
    const terminator = this.#state === 'head' ? '\r\n\r\n' : '\r\n';
    const end = this.#partialLine === '' ? bytes.indexOf(terminator, at, 'latin1') : -1;
    if (end !== -1) {
      this.#advance(bytes.toString('latin1', at, end));
      return end + terminator.length;
    }
    const before = this.#partialLine.length;
    const text = this.#partialLine + bytes.toString('latin1', at);
    const textEnd = text.indexOf(terminator);
    if (textEnd === -1) {
      this.#partialLine = text;
      return bytes.length;
    }
    this.#partialLine = '';
    this.#advance(text.slice(0, textEnd));
    return at + textEnd + terminator.length - before;
  }

  #advance(text: string): void {
    if (this.#state === 'head') this.#begin(text);
    else if (this.#state === 'chunk size') this.#beginChunk(text);
    else if (this.#state === 'chunk end') this.#endChunk(text);
    else if (text === '') this.#finish();
  }

  #begin(text: string): void {
    // Heads are equal for as long as their `Date` header is.
    if (text !== this.#headText) {
      this.#head = parseHead(text);
      this.#headText = text;
    }
    const { length } = this.#head!;
    this.#remaining = length ?? 0;
    this.#state = length === undefined ? 'chunk size' : 'body';
    if (length === 0) this.#finish();
  }

  #beginChunk(line: string): void {
    this.#remaining = Number.parseInt(line, 16);
    if (Number.isNaN(this.#remaining)) throw new Error(`not a chunk size: ${JSON.stringify(line)}`);
    this.#state = this.#remaining === 0 ? 'trailer' : 'chunk';
  }

  #endChunk(line: string): void {
    if (line !== '') throw new Error(`a chunk is longer than announced, by ${JSON.stringify(line)}`);
    this.#state = 'chunk size';
  }

  #finish(): void {
    const length = this.#bodyLength;
    this.#state = 'head';
    this.#bodyLength = 0;
    this.#onResponse(this.#head!, this.#body, length);
  }

  #reserve(count: number): void {
    if (this.#bodyLength + count <= this.#body.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#bodyLength + count));
    this.#body.copy(larger, 0, 0, this.#bodyLength);
    this.#body = larger;
  }
}

function parseHead(text: string): ResponseHead {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
  if (status === undefined) throw new Error(`not an HTTP/1.1 response: ${JSON.stringify(text.slice(0, 80))}`);
  const chunked = /\r\ntransfer-encoding: *chunked/i.test(text);
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  if (!chunked && length === undefined) throw new Error(`a response without framing: ${text}`);
  return {
    status: Number(status),
    contentType: /\r\ncontent-type: *([^\r]*)/i.exec(text)?.[1] ?? '',
    length: chunked ? undefined : Number(length),
  };
}
