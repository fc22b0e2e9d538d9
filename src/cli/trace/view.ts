import type { Colours, Paint } from '../terminal/colours.js';
import { plainLine, plainText } from '../terminal/plain-text.js';
import { cut, widthOf } from '../terminal/table.js';
import type { HeaderMap, TraceEntry } from './entry.js';
import { Pairing } from './pairing.js';
import { summarizeError, summarizeParams, summarizeResult } from './summary.js';

export interface ViewOptions {
  /** Writes a line. */
  readonly write: (line: string) => void;
  readonly colours: Colours;
  readonly width: () => number;
  /** Shows whole messages and headers. */
  readonly full: boolean;
}

/** How wide the column of methods is; longer names move the rest to the right. */
const METHOD_WIDTH = 27;

/** A line of the view. */
interface Row {
  readonly mark: string;
  readonly name: string;
  readonly detail: string;
  readonly paint?: Paint;
  /** What `--full` shows below it. */
  readonly whole?: unknown;
}

/** Shows entries as lines for people: time, direction, method, and what it says in a few words. */
export class TraceView {
  readonly #options: ViewOptions;
  readonly #pairing = new Pairing();
  /** The HTTP requests that opened a stream for messages of the server; the end of other streams says nothing new. */
  readonly #streams = new Set<number | undefined>();

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  show(entry: TraceEntry): void {
    const row = this.#describe(entry);
    if (!row) return;
    const { write, full, colours } = this.#options;
    write(this.#line(entry, row));
    if (!full || row.whole === undefined) return;
    for (const line of JSON.stringify(row.whole, null, 2).split('\n'))
      write(`          ${colours.dim(plainText(line))}`);
  }

  #line({ at, from }: TraceEntry, { mark, name, detail, paint }: Row): string {
    const { colours, width } = this.#options;
    const time = (at / 1000).toFixed(3).padStart(8);
    const arrow = from === 'client' ? colours.cyan('→') : colours.green('←');
    const method = plainLine(name).padEnd(METHOD_WIDTH);
    const start = `${time}  ${from === 'client' ? '→' : '←'} ${mark} `;
    const rest = cut(`${method} ${detail}`.trimEnd(), Math.max(20, width() - widthOf(start)));
    const painted = paint
      ? paint(rest)
      : `${colours.bold(rest.slice(0, method.length))}${rest.slice(method.length)}`;
    const sign = this.#sign(mark);
    return `${colours.dim(time)}  ${arrow} ${sign} ${painted}`;
  }

  #sign(mark: string): string {
    const { red, green, yellow } = this.#options.colours;
    const paints: Readonly<Record<string, Paint>> = { '✗': red, '✓': green, '?': yellow, '!': yellow };
    return paints[mark]?.(mark) ?? mark;
  }

  #describe(entry: TraceEntry): Row | undefined {
    const { message, from, text, request, response, end, failed } = entry;
    if (message) return this.#describeMessage(entry, message);
    if (request?.method === 'GET') this.#streams.add(entry.exchange);
    if (request) return this.#describeRequest(request);
    if (response) return this.#describeResponse(response);
    const {
      colours: { yellow, red, dim },
      full,
    } = this.#options;
    if (end !== undefined) {
      const isNews =
        this.#streams.delete(entry.exchange) || from === 'client' || entry.exchange === undefined;
      if (!isNews && !failed && !full) return undefined;
      return { mark: failed ? '✗' : ' ', name: plainLine(end), detail: '', paint: failed ? red : dim };
    }
    return { mark: '!', name: 'no message', detail: plainLine((text ?? '').slice(0, 400)), paint: yellow };
  }

  #describeMessage(entry: TraceEntry, message: Readonly<Record<string, unknown>>): Row {
    const { colours } = this.#options;
    const { id, method, params, result, error } = message;
    if (typeof method === 'string') {
      this.#pairing.add(entry);
      const detail = summarizeParams(method, params);
      const isNotice = id === undefined;
      return {
        mark: isNotice ? '·' : ' ',
        name: method,
        detail,
        whole: message,
        ...(isNotice && { paint: colours.dim }),
      };
    }
    const asked = this.#pairing.take(entry);
    const name = asked?.method ?? `response #${String(id)}`;
    const took = asked ? `${duration(entry.at - asked.entry.at)}  ` : '';
    if (error !== undefined) {
      return {
        mark: '✗',
        name,
        detail: `${took}${summarizeError(error)}`,
        whole: message,
        paint: colours.red,
      };
    }
    const { isError, resultType } = (result ?? {}) as { isError?: unknown; resultType?: unknown };
    const isFailure = isError === true;
    const isQuestion = resultType === 'input_required';
    const detail = `${took}${summarizeResult(asked?.method, result)}`;
    return {
      mark: isFailure ? '✗' : isQuestion ? '?' : '✓',
      name,
      detail,
      whole: message,
      ...(isFailure && { paint: colours.red }),
    };
  }

  /** A POST is shown by its message. */
  #describeRequest({ method, path, headers }: NonNullable<TraceEntry['request']>): Row | undefined {
    if (method === 'POST' && !this.#options.full) return undefined;
    return {
      mark: ' ',
      name: method,
      detail: plainLine(path),
      whole: headers,
      paint: this.#options.colours.dim,
    };
  }

  /** A response is shown by its message, unless its status says more. */
  #describeResponse({ status, headers }: NonNullable<TraceEntry['response']>): Row | undefined {
    const { colours, full } = this.#options;
    const isUsual = status === 200 || status === 202 || status === 204;
    if (isUsual && !full) return undefined;
    const paint = status >= 400 ? colours.red : colours.dim;
    return {
      mark: status >= 400 ? '✗' : ' ',
      name: `HTTP ${status}`,
      detail: explain(status, headers),
      whole: headers,
      paint,
    };
  }
}

function explain(status: number, headers: HeaderMap): string {
  if (status === 401) return plainLine(headers['www-authenticate'] ?? 'without WWW-Authenticate');
  if (status >= 300 && status < 400) return plainLine(`to ${headers.location ?? 'nowhere'}`);
  return plainLine(headers['content-type'] ?? '');
}

function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
