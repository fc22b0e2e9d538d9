// Loaded before an HTTP server that does not tell its port, or listens everywhere: binds it to a free loopback
// port, and writes that to stderr.
import { Server } from 'node:net';

const { listen } = Server.prototype;
Server.prototype.listen = function (_port, ...rest) {
  this.once('listening', () => console.error(`[port] ${this.address().port}`));
  return listen.call(this, 0, '127.0.0.1', ...rest.filter(argument => typeof argument === 'function'));
};
