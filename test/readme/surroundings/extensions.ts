import { type Extension, Server } from 'tenon';
import { type Client, connect } from 'tenon/client';
import { extension } from 'tenon/extensions';
import type { ClientExtension } from 'tenon/extensions/client';

// test/extensions runs the page's own code; these are its types.
export { connect, Server };

export const url: string = 'http://127.0.0.1:3000/mcp';
export const books: string[] = [];
export const countOpened = (_book: string): void => {};
export const show = (_shown: unknown): void => {};
export const catalogSearch = (_books: string[], _opened: (book: string) => void): Extension =>
  extension({ id: 'com.example/catalog-search' });
export const catalogClient = (_found: (book: string) => void): ClientExtension => ({
  id: 'com.example/catalog-search',
  settings: {},
});
export const searchCatalog = async (_client: Client, _words: string): Promise<string[]> => [];
