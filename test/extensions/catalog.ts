import { z } from 'zod';
import { resultType, notification as taken } from '../../src/client/extensions/index.js';
import type { Client, ClientExtension } from '../../src/client/index.js';
import {
  type Extension,
  extension,
  extensionResult,
  metaAccessor,
  method,
  notice,
  notification,
} from '../../src/server/extensions/index.js';
import { Server } from '../../src/server/index.js';

// The catalog search of docs/extensions.md: the same text, with the imports of this project.

const ID = 'com.example/catalog-search';
const Words = z.object({ words: z.string().min(1) });
const Book = z.object({ book: z.string() });
const Found = z.object({ books: z.array(z.string()) });
const label = metaAccessor('com.example/catalog', z.string());

/** Searches a list of books. */
export function catalogSearch(books: string[], opened: (book: string) => void): Extension {
  const searches = new Map<string, string[]>();
  const find = (words: string) => books.filter(book => book.toLowerCase().includes(words.toLowerCase()));
  return extension({
    id: ID,
    settings: { books: books.length },
    methods: {
      'com.example/search': method(Words, ({ words }, ctx) => {
        const found = find(words);
        for (const book of found) ctx.notify('notifications/com.example/found', { book });
        return { books: found };
      }),
      'com.example/fetch': method(z.object({ search: z.string() }), ({ search }) => {
        const found = searches.get(search) ?? [];
        return { content: [{ type: 'text', text: found.join(', ') }] };
      }),
    },
    notifications: {
      'notifications/com.example/opened': notification(Book, ({ book }) => opened(book)),
    },
    sends: ['notifications/com.example/found'],
    resultTypes: ['search_started'],
    notices: {
      'com.example/added': notice('notifications/com.example/added', {
        filter: z.array(z.string()),
        wants: (words, { book }) => words.some(word => String(book).includes(word)),
      }),
    },
    middleware: [
      async (call, next) => {
        const result = await next();
        return call.target === 'search' ? label.write(result, 'catalog of 2026') : result;
      },
    ],
    install(server) {
      server.tool('search', { input: Words }, ({ words }, ctx) => {
        if (!ctx.extension(ID)) return find(words).join(', ');
        const search = `search-${searches.size + 1}`;
        searches.set(search, find(words));
        return extensionResult('search_started', { search });
      });
      server.tool('add', { input: Book }, ({ book }) => {
        books.push(book);
        server.announce('notifications/com.example/added', { book });
        return 'added';
      });
      server.tool('strict', {}, (_, ctx) => `settings: ${JSON.stringify(ctx.requireExtension(ID))}`);
    },
  });
}

/** The side of the client. */
export function catalogClient(found: (book: string) => void = () => {}): ClientExtension {
  return {
    id: ID,
    settings: { shelf: 'fiction' },
    requests: ['com.example/search', 'com.example/fetch'],
    sends: ['notifications/com.example/opened'],
    notifications: { 'notifications/com.example/found': taken(Book, ({ book }) => found(book)) },
    resultTypes: {
      search_started: resultType(z.object({ search: z.string() }), ({ search }, { request }) =>
        request('com.example/fetch', { search }),
      ),
    },
    notices: { 'com.example/added': 'notifications/com.example/added' },
  };
}

/** Searches with a method of the extension. */
export async function searchCatalog(client: Client, words: string): Promise<string[]> {
  return Found.parse(await client.request('com.example/search', { words })).books;
}

export function createLibrary(opened: (book: string) => void = () => {}): Server {
  const search = catalogSearch(['Emma', 'Persuasion', 'Middlemarch'], opened);
  return new Server({ name: 'library', version: '1.0.0' }, { extensions: [search] });
}

export { ID };
