import type { Redirect, Redirection } from '../../../src/client/auth/redirect.js';

const MAX_PAGES = 20;

/**
 * A user with a browser, who signs in at the pages of the identity provider and agrees to what is asked. As a
 * `Redirect`, the address at which they come back is handed over without being opened.
 */
export class User implements Redirect {
  /** The addresses that they were brought to. */
  readonly visits: URL[] = [];
  /** Whether they agree. */
  agrees = true;
  readonly #name: string;
  readonly #cookies = new Map<string, { text: string; path: string }>();

  constructor(name = 'alice') {
    this.#name = name;
  }

  prepare(): Redirection {
    const uri = 'http://127.0.0.1:9/callback';
    return { uri, visit: url => this.visit(url), close() {} };
  }

  /** Goes through all pages, until one sends the user elsewhere. Resolves with where that is. */
  async visit(start: URL): Promise<URL> {
    this.visits.push(start);
    let url = start;
    let form: URLSearchParams | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      if (url.origin !== start.origin) return url;
      const response = await this.#open(url, form);
      const page = await response.text();
      const target = response.headers.get('location');
      form = undefined;
      if (target !== null) url = new URL(target, url);
      else if (!response.ok) throw new Error(`${url.pathname} answered ${response.status}: ${page}`);
      else if (this.agrees) [url, form] = this.#fillIn(page, url);
      else url = new URL(find(page, /href="([^"]*\/abort)"/), url);
    }
    throw new Error(`the pages do not end: ${url}`);
  }

  async #open(url: URL, form: URLSearchParams | undefined): Promise<Response> {
    const sent = [...this.#cookies.values()].filter(({ path }) => url.pathname.startsWith(path));
    const response = await fetch(url, {
      headers: { cookie: sent.map(({ text }) => text).join('; ') },
      redirect: 'manual',
      ...(form && { method: 'POST', body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    return response;
  }

  #keep(cookie: string): void {
    const [text, ...attributes] = cookie.split('; ') as [string, ...string[]];
    const path = attributes.find(attribute => /^path=/i.test(attribute))?.slice('path='.length) ?? '/';
    const key = `${path} ${text.split('=', 1)[0]}`;
    if (text.endsWith('=')) this.#cookies.delete(key);
    else this.#cookies.set(key, { text, path });
  }

  #fillIn(page: string, url: URL): [URL, URLSearchParams] {
    const form = new URLSearchParams({ prompt: find(page, /name="prompt" value="([^"]*)"/) });
    if (page.includes('name="login"')) form.set('login', this.#name);
    if (page.includes('name="password"')) form.set('password', 'secret');
    return [new URL(find(page, /<form[^>]* action="([^"]*)"/), url), form];
  }
}

function find(page: string, pattern: RegExp): string {
  const found = pattern.exec(page)?.[1];
  if (found === undefined) throw new Error(`there is no ${pattern} on the page: ${page}`);
  return found;
}
