/** Where apps run: this machine by its other name, which is another site for browsers. */
export function sandboxAddress(port: number): string {
  const name = location.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  return `http://${name}:${port}/`;
}
