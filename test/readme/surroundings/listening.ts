import { type AddressInfo, Server } from 'node:net';

/** The URLs of the servers that listen in this process, in the order in which they began. */
export const urls: string[] = [];

/** Stands for `http://127.0.0.1:3000/mcp` in snippets that run: snippets take a free port instead. */
export function latestUrl(): string {
  const url = urls.at(-1);
  if (url === undefined) throw new Error('no snippet before this one listens');
  return url;
}

// Programs of other packages say nowhere which port they got.
const { listen } = Server.prototype;
Server.prototype.listen = function (this: Server, ...args: Parameters<typeof listen>) {
  this.once('listening', () => {
    const { port } = this.address() as AddressInfo;
    urls.push(`http://127.0.0.1:${port}/mcp`);
    console.log(urls.at(-1));
  });
  return listen.apply(this, args);
} as typeof listen;
