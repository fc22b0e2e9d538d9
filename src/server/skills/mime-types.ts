/** The MIME type of a folder. */
export const DIRECTORY = 'inode/directory';

const BY_ENDING: ReadonlyMap<string, string> = new Map([
  ['md', 'text/markdown'],
  ['txt', 'text/plain'],
  ['html', 'text/html'],
  ['css', 'text/css'],
  ['csv', 'text/csv'],
  ['js', 'text/javascript'],
  ['mjs', 'text/javascript'],
  ['ts', 'text/x-typescript'],
  ['py', 'text/x-python'],
  ['sh', 'application/x-sh'],
  ['json', 'application/json'],
  ['yaml', 'application/yaml'],
  ['yml', 'application/yaml'],
  ['toml', 'application/toml'],
  ['xml', 'application/xml'],
  ['pdf', 'application/pdf'],
  ['zip', 'application/zip'],
  ['svg', 'image/svg+xml'],
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
]);

/** The MIME type of a file, from the end of its name; undefined if it is not known. */
export function mimeTypeOf(uri: string): string | undefined {
  const name = uri.slice(uri.lastIndexOf('/') + 1);
  return name.includes('.') ? BY_ENDING.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase()) : undefined;
}
