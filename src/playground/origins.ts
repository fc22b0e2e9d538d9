/** The names of this machine in the address of a page. */
const NAMES = ['127.0.0.1', 'localhost'];

/** The origins of what is served on a port of this machine. */
export function originsAt(port: number): string[] {
  return NAMES.map(name => `http://${name}:${port}`);
}
