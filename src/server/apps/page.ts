import { UsageError } from '../../base/errors.js';
import { quoteBriefly } from '../../base/json.js';
import type { Awaitable } from '../../base/settle.js';
import { MAX_PAGE_BYTES } from '../../protocol/apps.js';

/** Where the HTML of an app comes from. */
export interface Page {
  /** The HTML as it is now, checked. */
  read(): Awaitable<string>;
  /** Calls `changed` when the HTML is another one, for as long as somebody else holds the function. */
  watch?(changed: () => void): void;
}

/** The HTML of an app, or a function that makes it for each request. */
export interface InlinePage {
  html: string | (() => Awaitable<string>);
}

/** A page that is not in a file. */
export function inlinePage(source: InlinePage): Page {
  const { html } = source;
  if (typeof html === 'function')
    return {
      read: async () => checkHtml(await html(), 'the page that the function html of an app returned'),
    };
  checkHtml(html, 'the html of an app');
  return { read: () => html };
}

/** HTML begins with its doctype; white space, a byte order mark and comments may come before. */
const DOCUMENT = /^\uFEFF?(?:\s|<!--[\s\S]*?-->)*<!doctype html\b/i;

/** Throws if hosts could not show the HTML. `what` is the subject of the message. */
export function checkHtml(html: unknown, what: string): string {
  if (typeof html !== 'string') throw new UsageError(`${what} is not a text, but ${quoteBriefly(html)}`);
  checkPageSize(new TextEncoder().encode(html).length, what);
  if (!DOCUMENT.test(html))
    throw new UsageError(
      `${what} is not an HTML document: it must begin with <!doctype html>; comments may stand before it`,
    );
  return html;
}

export function checkPageSize(bytes: number, what: string): void {
  if (bytes > MAX_PAGE_BYTES)
    throw new UsageError(
      `${what} is too large: ${bytes} bytes, but at most ${MAX_PAGE_BYTES} are served; leave large parts to tools or resources`,
    );
}
